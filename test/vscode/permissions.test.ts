import assert from "node:assert/strict";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { scriptedAgent, useVsCode } from "./stage.js";

describe("a permission card in the chat view", () => {
  const stage = useVsCode(newestVsCode, { settings: scriptedAgent() });

  it("shows every option in the agent's order, and is answered by a digit key", async () => {
    const chat = await stage().openTab("Scripted");
    await chat.send("permission allow");
    const options = chat.permission.locator(".card-answer-name");
    await options.first().waitFor();
    const names = await options.allInnerTexts();
    assert.deepEqual(names, ["Always", "Not now", "Once", "Never"]);
    await chat.answerByKey("3");
    await chat.ends.waitFor();
    assert.equal(await chat.page.locator("symposium-notice").count(), 0);
  });

  it("stays while the view is hidden, which its entry says", async () => {
    const chat = await stage().openTab("Scripted");
    await chat.send("permission reject");
    await chat.permission.getByRole("button", { name: "Not now" }).waitFor();
    await chat.hide();
    await chat.entry.locator(".badge-content", { hasText: "1" }).waitFor();
    await chat.show();
    await chat.permission.getByRole("button", { name: "Not now" }).click();
    await chat.ends.waitFor();
    assert.equal(await chat.page.locator("symposium-notice").count(), 0);
  });

  it("stays when another tab asks too, and each answer reaches its own agent", async () => {
    const chat = await stage().openTab("Scripted");
    await chat.send("permission allow");
    await chat.permission.getByRole("button", { name: "Once" }).waitFor();
    await chat.newTab();
    await chat.send("permission reject");
    await chat.permission.getByRole("button", { name: "Not now" }).click();
    await chat.ends.waitFor();
    await chat.previousTab();
    await chat.permission.getByRole("button", { name: "Once" }).click();
    await chat.ends.waitFor();
    assert.equal(await chat.page.locator("symposium-notice").count(), 0);
  });

  it("is withdrawn when the turn is stopped", async () => {
    const chat = await stage().openTab("Scripted");
    await chat.send("permission");
    await chat.permission.getByRole("button", { name: "Once" }).waitFor();
    await chat.stop();
    await chat.ends.waitFor();
    await chat.permission.getByRole("button", { name: "Once" }).waitFor({ state: "detached" });
  });

  it("sends a comment on a rejection to the agent", async () => {
    const chat = await stage().openTab("Scripted");
    await chat.send("permission");
    await chat.permission.getByRole("button", { name: "Reject with a comment…" }).click();
    await chat.permission.getByRole("textbox").fill("echo another way");
    await chat.permission.getByRole("button", { name: "Reject", exact: true }).click();
    await chat.answers.filter({ hasText: "another way" }).waitFor();
  });
});
