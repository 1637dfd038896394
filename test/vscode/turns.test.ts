import assert from "node:assert/strict";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { scriptedAgent, useVsCode } from "./stage.js";

describe("a prompt turn in the chat view", () => {
  const stage = useVsCode(newestVsCode, { settings: scriptedAgent() });

  const openTab = async () => {
    const chat = await stage().openChat();
    await chat.choose("Scripted");
    return chat;
  };

  it("shows an answer that arrives in pieces as one text", async () => {
    const chat = await openTab();
    await chat.ask("echo one\necho two");
    assert.equal(await chat.answers.innerText(), "one two");
  });

  it("ends at once when it is stopped", async () => {
    const chat = await openTab();
    await chat.send("echo begun\nwait_for_cancel");
    await chat.answers.waitFor();
    await chat.page.getByRole("button", { name: /^Stop/ }).click();
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
    await chat.send("echo begun\nwait_for_cancel");
    await chat.answers.waitFor();
    const queue = chat.page.getByRole("region", { name: "Queued prompts" });
    for (const text of ["echo one", "echo two", "echo three"]) await chat.send(text);
    await queue.getByRole("button", { name: "Remove: echo two" }).click();
    await queue.getByRole("button", { name: "Edit: echo three" }).click();
    await queue.getByRole("textbox").fill("echo four");
    await queue.getByRole("button", { name: "Save queued prompt" }).click();
    await chat.page.getByRole("button", { name: /^Stop/ }).click();
    await chat.ends.nth(2).waitFor();
    const prompts = await chat.page.locator("symposium-user .user-text").allInnerTexts();
    assert.deepEqual(prompts.slice(1), ["echo one", "echo four"]);
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
    const rows = await chat.page.locator(".row").all();
    const kinds = await Promise.all(rows.map((row) => row.getAttribute("data-kind")));
    const missing = ["user", "text", "thought", "tool", "plan", "unknown", "turn-end"].filter(
      (kind) => !kinds.includes(kind),
    );
    assert.deepEqual(missing, []);
  });

  it("ends with a card that says what to do when the agent answers an error", async () => {
    const chat = await openTab();
    await chat.send("error -32000 The account has no credit.");
    const notice = chat.page.locator("symposium-notice");
    await notice.waitFor();
    assert.match(await notice.innerText(), /The account has no credit\./);
    await notice.getByRole("button", { name: "Try again" }).waitFor();
  });
});
