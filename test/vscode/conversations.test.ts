import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { conductorWords } from "../support/conductor-command.js";
import { until } from "../support/until.js";
import type { ChatView } from "../support/vscode/chat-view.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import type { VsCodeWindow } from "../support/vscode/vscode-window.js";
import { scriptedAgent, useVsCode } from "./stage.js";

/** The scripted agent, and it once more as another one. */
function twoAgents(): Readonly<Record<string, unknown>> {
  const settings = scriptedAgent();
  const agents = settings["symposium.agents"] as Readonly<Record<string, object>>;
  return { ...settings, "symposium.agents": { ...agents, second: { ...agents["scripted"], name: "Second" } } };
}

describe("conversations in the chat view", () => {
  const stage = useVsCode(newestVsCode, { settings: twoAgents() });

  /** The lines of the list above the editor that have that text. */
  const rows = (window: VsCodeWindow, text: string) =>
    window.page.locator(".quick-input-list .monaco-list-row", { hasText: text });

  async function find(window: VsCodeWindow, text: string): Promise<void> {
    await window.run("Symposium: Show Conversations");
    await window.quickInput("Conversations").fill(text);
  }

  async function draftIs(chat: ChatView, wanted: string): Promise<void> {
    await until(
      () => chat.prompt.inputValue(),
      (text) => text === wanted,
    );
  }

  async function closeTabs(chat: ChatView): Promise<void> {
    const count = await chat.tabs.count();
    for (let closed = 1; closed <= count; closed++) {
      await chat.page.getByRole("tab", { selected: true }).press("Delete");
      await chat.tabs.nth(count - closed).waitFor({ state: "detached" });
    }
  }

  it("branch, move to another agent, outlive reloads and crashes, and are found in the next window", async () => {
    const workspace = await mkdtemp(join(stage().code.folder.workspace, "stranger-"));
    const chat = await stage().openChat({ workspace });
    await chat.window.run("Symposium: Show Conversations");
    await rows(chat.window, "There are no conversations here yet").waitFor();
    await chat.window.page.keyboard.press("Enter");
    await chat.choose("Scripted");
    await chat.ask("echo the quince is yellow");
    const kept = chat.page.locator(".turn-note", { hasText: "Symposium stores your conversations on this machine" });
    await kept.getByRole("button", { name: "Setting" }).waitFor();
    await chat.window.screenshot("kept-conversations-told");
    await chat.ask("echo two");
    const second = chat.page.locator("symposium-user").nth(1);
    await second.hover();
    await second.getByRole("button", { name: "Edit prompt" }).click();
    await second.getByRole("textbox").fill("echo the medlar is brown");
    await second.getByRole("button", { name: "Send again" }).click();
    await chat.answers.filter({ hasText: "medlar" }).waitFor();
    await chat.ends.nth(1).waitFor();
    await chat.window.screenshot("branches-edited");
    await chat.ends.first().getByRole("button", { name: "Fork into a new tab" }).click();
    await chat.prompts.filter({ hasText: "medlar" }).waitFor({ state: "detached" });
    await chat.ask("echo the sloe is blue");
    await chat.window.run("Symposium: Continue with Another Agent");
    await rows(chat.window, "Second").click();
    await chat.page.getByText("Continuing with Second").waitFor();
    await chat.ask("echo the elder is black");
    const said = ["echo the quince is yellow", "echo the sloe is blue", "echo the elder is black"];
    assert.deepEqual(await chat.prompts.allInnerTexts(), said);

    await chat.send("echo begun\nwait_for_cancel");
    await chat.answers.filter({ hasText: "begun" }).waitFor();
    await chat.prompt.fill("half a thought");
    await chat.hide();
    await chat.show();
    await draftIs(chat, "half a thought");
    await chat.reload();
    await chat.answers.filter({ hasText: "begun" }).waitFor();
    await draftIs(chat, "half a thought");
    await chat.send("echo after the reload\nwait_for_cancel");
    await chat.answers.filter({ hasText: "after the reload" }).waitFor();
    await stage().code.kill(/symposium-acp-agent/);
    await chat.page.locator("symposium-notice").filter({ hasText: "ended unexpectedly" }).waitFor();
    await chat.ask("echo here again");
    await closeTabs(chat);
    await chat.window[Symbol.asyncDispose]();

    const { env } = stage().code.folder;
    // Its sessions have ids of their own; those of two scripted agents are alike.
    const [program, ...words] = [...conductorWords, "chat", "--agent", "eliza", "I dream of a mulberry"];
    await promisify(execFile)(program, words, { cwd: workspace, env: { ...process.env, ...env } });

    const next = await stage().openChat({ workspace });
    const { window } = next;
    await find(window, "ELDER black");
    await rows(window, "Second").waitFor();
    await window.screenshot("kept-conversations-found");
    await window.page.keyboard.press("Enter");
    await next.answers.filter({ hasText: "here again" }).waitFor();
    // Only prompts near the place that is shown are in the page.
    const prompts = await next.prompts.allInnerTexts();
    assert.deepEqual(prompts.slice(-2), ["echo after the reload\nwait_for_cancel", "echo here again"]);
    await next.ask("echo gone on with");
    await window.screenshot("kept-conversations-opened");

    // One that was begun in a terminal brings the hidden panel into sight.
    await next.hide();
    await find(window, "mulberry");
    await rows(window, "mulberry").and(rows(window, "1 prompt")).waitFor();
    await window.screenshot("kept-conversations-from-terminal");
    await window.page.keyboard.press("Enter");
    await next.answers.filter({ hasText: "mulberry" }).waitFor();
    await next.ask("I am in the panel");
    await next.page.getByRole("tab", { selected: true }).press("Delete");

    // The list stays open while conversations in it are renamed and deleted.
    await find(window, "mulberry panel");
    const found = rows(window, "mulberry").and(rows(window, "2 prompts"));
    await found.hover();
    await found.locator(".codicon-edit").click();
    const title = window.quickInput("New title");
    await title.fill("Fruit");
    await title.press("Enter");
    await rows(window, "Fruit").hover();
    await rows(window, "Fruit").locator(".codicon-trash").click();
    const question = window.page.locator(".monaco-dialog-box", { hasText: 'Delete "Fruit"?' });
    await question.locator(".monaco-button", { hasText: "Delete" }).click();
    await window.quickInput("Conversations").waitFor();
    await rows(window, "Fruit").waitFor({ state: "detached" });
    await window.quickInput("Conversations").press("Escape");
  });
});

describe("a conversation in the host", () => {
  const stage = useVsCode(newestVsCode, { settings: { ...scriptedAgent(), "symposium.host": "on" } });

  async function host(word: "status" | "stop"): Promise<string> {
    const { env } = stage().code.folder;
    const [program, ...words] = [...conductorWords, "host", word];
    return (await promisify(execFile)(program, words, { env: { ...process.env, ...env } })).stdout;
  }

  afterEach(async () => {
    await host("stop");
  });

  it("goes on with a turn in which its window is reloaded or closed, and asks again", async () => {
    const workspace = await mkdtemp(join(stage().code.folder.workspace, "hosted-"));
    const chat = await stage().openChat({ workspace });
    await chat.choose("Scripted");
    await chat.ask("echo the quince is yellow");
    await chat.send("echo begun\npermission\necho the medlar is brown\nwait_for_cancel");
    const once = chat.permission.getByRole("button", { name: "Once" });
    await once.waitFor();
    await chat.reload();
    await once.waitFor();
    await chat.window.screenshot("hosted-asked-after-reload");
    await once.click();
    await chat.answers.filter({ hasText: "medlar" }).waitFor();
    // A page that is only closed leaves its extension host, which waits for a reconnection.
    await chat.window.page.goto("about:blank");
    await until(
      () => host("status"),
      (text) => /^working, no window/m.test(text),
    );
    const next = await stage().openChat({ workspace });
    await next.answers.filter({ hasText: "medlar" }).waitFor();
    await next.window.screenshot("hosted-goes-on");
    await next.stop();
    await next.ends.nth(1).waitFor();
    assert.equal(await next.answers.filter({ hasText: "begun" }).count(), 1);
    await next.ask("echo here again");
  });
});
