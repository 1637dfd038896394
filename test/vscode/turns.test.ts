import assert from "node:assert/strict";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { scriptedAgent, useVsCode } from "./stage.js";

describe("a prompt turn in the chat view", () => {
  const stage = useVsCode(newestVsCode, { settings: scriptedAgent() });

  const openTab = () => stage().openTab("Scripted");

  it("shows an answer that arrives in pieces as one text", async () => {
    const chat = await openTab();
    await chat.ask("echo one\necho two");
    assert.deepEqual(await chat.answerTexts(), ["one two"]);
  });

  it("ends at once when it is stopped", async () => {
    const chat = await openTab();
    await chat.send("echo begun\nwait_for_cancel");
    await chat.answers.waitFor();
    await chat.stop();
    await chat.ends.waitFor();
    assert.match(await chat.ends.innerText(), /Stopped/);
  });

  it("is stopped by Escape", async () => {
    const chat = await openTab();
    await chat.send("echo begun\nwait_for_cancel");
    await chat.answers.waitFor();
    await chat.prompt.press("Escape");
    await chat.ends.waitFor();
    assert.match(await chat.ends.innerText(), /Stopped/);
  });

  it("lets prompts wait, in order, as they were edited, without those that were removed", async () => {
    const chat = await openTab();
    await chat.send("permission");
    const allow = chat.permission.getByRole("button", { name: "Once" });
    await allow.waitFor();
    const queue = chat.page.getByRole("region", { name: "Queued prompts" });
    for (const text of ["echo one", "echo two", "echo three"]) await chat.send(text);
    await queue.getByRole("button", { name: "Remove: echo two" }).click();
    await queue.getByRole("button", { name: "Edit: echo three" }).click();
    await queue.getByRole("textbox").fill("echo four");
    await queue.getByRole("button", { name: "Save queued prompt" }).click();
    await allow.click();
    await chat.ends.nth(2).waitFor();
    assert.deepEqual(await chat.prompts.allInnerTexts(), ["permission", "echo one", "echo four"]);
  });

  it("holds back what waits when the user stops it, until the user goes on", async () => {
    const chat = await openTab();
    await chat.send("echo begun\nwait_for_cancel");
    await chat.answers.waitFor();
    await chat.send("echo waiting");
    await chat.page.getByRole("button", { name: "Send now: echo waiting" }).waitFor();
    await chat.stop();
    await chat.ends.waitFor();
    await chat.send("echo going on");
    await chat.ends.nth(2).waitFor();
    assert.deepEqual((await chat.prompts.allInnerTexts()).slice(1), ["echo going on", "echo waiting"]);
  });

  it("is stopped by a waiting prompt that is sent now", async () => {
    const chat = await openTab();
    await chat.send("echo begun\nwait_for_cancel");
    await chat.answers.waitFor();
    await chat.send("echo later");
    await chat.page.getByRole("button", { name: "Send now: echo later" }).click();
    await chat.answers.filter({ hasText: "later" }).waitFor();
  });

  it("shows every kind of update, also those that nobody knows", async () => {
    const chat = await openTab();
    await chat.ask("updates\ncontent\ntool_calls\nplan\nusage");
    const kinds = await chat.kindsOfItems();
    const missing = ["user", "text", "thought", "tool", "plan", "unknown", "turn-end"].filter(
      (kind) => !kinds.has(kind),
    );
    assert.deepEqual(missing, []);
  });

  it("ends with a card that says what to do when the agent answers an error", async () => {
    const chat = await openTab();
    await chat.send("error -32603 The account has no credit.");
    const notice = chat.page.locator("symposium-notice");
    await notice.waitFor();
    assert.match(await notice.innerText(), /The account has no credit\./);
    await notice.getByRole("button", { name: "Try again" }).waitFor();
  });
});
