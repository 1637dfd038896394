import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { until } from "../support/until.js";
import type { ChatView } from "../support/vscode/chat-view.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { scriptedAgent, useVsCode } from "./stage.js";

/** The prompts in sight, once they are these: another tab shows others. */
async function promptsAre(chat: ChatView, wanted: readonly string[]): Promise<void> {
  const shown = await until(
    () => chat.prompts.allInnerTexts(),
    (texts) => isDeepStrictEqual(texts, wanted),
  );
  assert.deepEqual(shown, wanted);
}

describe("branches of a conversation in the chat view", () => {
  const stage = useVsCode(newestVsCode, { settings: scriptedAgent() });

  it("are made by editing a prompt, keep what was there, and lead to one another", async () => {
    const chat = await stage().openTab("Scripted");
    await chat.ask("echo one");
    await chat.ask("echo two");
    const second = chat.page.locator("symposium-user").nth(1);
    await second.hover();
    await second.getByRole("button", { name: "Edit prompt" }).click();
    await second.getByRole("textbox").fill("echo three");
    await second.getByRole("button", { name: "Send again" }).click();
    await chat.answers.filter({ hasText: "three" }).waitFor();
    await chat.ends.nth(1).waitFor();
    await promptsAre(chat, ["echo one", "echo three"]);
    const versions = chat.page.getByRole("group", { name: "Versions of this prompt" });
    await versions.getByText("2/2").waitFor();
    await chat.window.screenshot("branches-edited");
    await versions.getByRole("button", { name: "Previous version" }).click();
    await versions.getByText("1/2").waitFor();
    await promptsAre(chat, ["echo one", "echo two"]);
  });

  it("are made by forking an answer, and the other tab stays as it is", async () => {
    const chat = await stage().openTab("Scripted");
    await chat.ask("echo red");
    await chat.ask("echo blue");
    const tabs = await chat.tabs.count();
    await chat.ends.first().getByRole("button", { name: "Fork into a new tab" }).click();
    await chat.tabs.nth(tabs).waitFor();
    await promptsAre(chat, ["echo red"]);
    await chat.ask("echo green");
    await promptsAre(chat, ["echo red", "echo green"]);
    await chat.window.screenshot("branches-forked");
  });
});
