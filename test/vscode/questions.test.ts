import assert from "node:assert/strict";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { scriptedAgent, useVsCode } from "./stage.js";

describe("a question of the agent in the chat view", () => {
  const stage = useVsCode(newestVsCode, { settings: scriptedAgent() });

  it("is a form that says what is missing, and whose answer reaches the agent", async () => {
    const chat = await stage().openTab("Scripted");
    await chat.send("elicitation");
    const form = chat.page.locator("symposium-elicitation-card").first();
    await form.getByRole("button", { name: "Send" }).click();
    await form.locator(".control-error").first().waitFor();
    await form.getByRole("textbox", { name: "Answer" }).fill("forty-two");
    const token = form.getByLabel("Token");
    await token.fill("not to be read");
    assert.equal(await token.getAttribute("type"), "password");
    await chat.window.screenshot("secret-question");
    await form.getByRole("button", { name: "Send" }).click();
    await chat.page.getByRole("button", { name: "Open example.com" }).waitFor();
    await chat.page.locator("symposium-elicitation-card").last().getByRole("button", { name: "Decline" }).click();
    await chat.ends.waitFor();
    const answers = (await chat.answerTexts()).join("\n");
    assert.match(
      answers,
      /elicitation\/create result .*"accept".*forty-two.*not to be read[^]*elicitation\/create result .*"decline"/,
    );
  });

  it("may be answered by nobody: a request that no client knows is refused at once", async () => {
    const chat = await stage().openTab("Scripted");
    await chat.ask("callbacks");
    assert.match((await chat.answerTexts()).join("\n"), /_test\.example\/question error .*-32601/);
  });
});

describe("an agent that wants a sign-in", () => {
  const stage = useVsCode(newestVsCode, { settings: scriptedAgent("--auth-required") });

  it("gets it from a card, and then the prompt that waited", async () => {
    const chat = await stage().openTab("Scripted");
    await chat.send("echo signed in");
    await chat.page.getByRole("button", { name: "Scripted login" }).click();
    await chat.answers.filter({ hasText: "signed in" }).waitFor();
  });
});
