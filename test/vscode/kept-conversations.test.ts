import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { conductorWords } from "../support/conductor-command.js";
import { agentWords } from "../support/scripted-programs.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import type { VsCodeWindow } from "../support/vscode/vscode-window.js";
import { scriptedAgent, useVsCode } from "./stage.js";

/** The scripted agent, and it once more as another one. */
function twoAgents(): Readonly<Record<string, unknown>> {
  const settings = scriptedAgent();
  const agents = settings["symposium.agents"] as Readonly<Record<string, object>>;
  return { ...settings, "symposium.agents": { ...agents, second: { ...agents["scripted"], name: "Second" } } };
}

describe("kept conversations in the chat view", () => {
  const stage = useVsCode(newestVsCode, { settings: twoAgents() });

  /** The list of conversations, and a line of it. */
  const rows = (window: VsCodeWindow, text: string) =>
    window.page.locator(".quick-input-list .monaco-list-row", { hasText: text });

  async function find(window: VsCodeWindow, text: string): Promise<void> {
    await window.run("Symposium: Show Conversations");
    await window.page.locator(".quick-input-title", { hasText: "Conversations" }).waitFor();
    await window.page.locator(".quick-input-widget input.input").fill(text);
  }

  it("tell a stranger's story: none yet, then edited, forked, gone on with, and found again after a restart", async () => {
    const workspace = await mkdtemp(join(stage().code.folder.workspace, "stranger-"));
    const chat = await stage().openChat({ workspace });
    await chat.window.run("Symposium: Show Conversations");
    await rows(chat.window, "There are no conversations here yet").waitFor();
    await chat.window.page.keyboard.press("Enter");
    await chat.choose("Scripted");
    await chat.ask("echo the quince is yellow");
    const told = chat.page.locator(".turn-note", { hasText: "Symposium keeps your conversations" });
    await told.getByRole("button", { name: "Setting" }).waitFor();
    await chat.window.screenshot("kept-conversations-told");
    await chat.ask("echo two");
    assert.equal(await told.count(), 1);
    const second = chat.page.locator("symposium-user").nth(1);
    await second.hover();
    await second.getByRole("button", { name: "Edit prompt" }).click();
    await second.getByRole("textbox").fill("echo the medlar is brown");
    await second.getByRole("button", { name: "Send again" }).click();
    await chat.answers.filter({ hasText: "medlar" }).waitFor();
    await chat.ends.nth(1).waitFor();
    await chat.ends.first().getByRole("button", { name: "Fork into a new tab" }).click();
    await chat.prompts.filter({ hasText: "medlar" }).waitFor({ state: "detached" });
    await chat.ask("echo the sloe is blue");
    await chat.window.run("Symposium: Continue with Another Agent");
    await rows(chat.window, "Second").click();
    await chat.page.getByText("Second goes on from here").waitFor();
    await chat.ask("echo the elder is black");
    const tabs = await chat.tabs.count();
    for (let closed = 1; closed <= tabs; closed++) {
      await chat.page.getByRole("tab", { selected: true }).press("Delete");
      await chat.tabs.nth(tabs - closed).waitFor({ state: "detached" });
    }
    await chat.window[Symbol.asyncDispose]();
    const again = await stage().openChat({ workspace });
    await find(again.window, "ELDER black");
    await rows(again.window, "Second").waitFor();
    await again.window.screenshot("kept-conversations-found");
    await again.window.page.keyboard.press("Enter");
    await again.answers.filter({ hasText: "the elder is black" }).waitFor();
    assert.deepEqual(await again.prompts.allInnerTexts(), [
      "echo the quince is yellow",
      "echo the sloe is blue",
      "echo the elder is black",
    ]);
    await again.ask("echo gone on with");
    await again.window.screenshot("kept-conversations-opened");
  });

  it("come into sight when one is chosen while the panel is hidden", async () => {
    const workspace = await mkdtemp(join(stage().code.folder.workspace, "hidden-"));
    const chat = await stage().openChat({ workspace });
    await chat.choose("Scripted");
    await chat.ask("echo the damson is sour");
    await chat.page.getByRole("tab", { selected: true }).press("Delete");
    await chat.answers.waitFor({ state: "detached" });
    await chat.hide();
    await find(chat.window, "damson");
    await rows(chat.window, "damson").and(rows(chat.window, "1 prompt")).waitFor();
    await chat.window.page.keyboard.press("Enter");
    await chat.answers.filter({ hasText: "the damson is sour" }).waitFor();
  });

  it("are listed and gone on with, also those that were begun in a terminal", async () => {
    const { env, workspace: parent } = stage().code.folder;
    const workspace = await mkdtemp(join(parent, "terminal-"));
    const agent = JSON.stringify({ name: "Scripted", command: agentWords()[0], args: agentWords().slice(1), env: [] });
    const [program, ...words] = [...conductorWords, "chat", "--agent", agent, "echo the mulberry is dark"];
    const { stdout } = await promisify(execFile)(program, words, { cwd: workspace, env: { ...process.env, ...env } });
    assert.match(stdout, /the mulberry is dark/);
    const chat = await stage().openChat({ workspace });
    await find(chat.window, "mulberry");
    await rows(chat.window, "mulberry").and(rows(chat.window, "1 prompt")).waitFor();
    await chat.window.screenshot("kept-conversations-from-terminal");
    await chat.window.page.keyboard.press("Enter");
    await chat.answers.filter({ hasText: "the mulberry is dark" }).waitFor();
    await chat.ask("echo said in the panel");
    await chat.page.getByRole("tab", { selected: true }).press("Delete");
    await find(chat.window, "mulberry panel");
    const found = rows(chat.window, "mulberry").and(rows(chat.window, "2 prompts"));
    await found.hover();
    await found.locator(".codicon-trash").click();
    await chat.window.page.locator(".monaco-dialog-box .monaco-button", { hasText: "Delete" }).click();
    await rows(chat.window, "Nothing matches").waitFor();
  });
});
