import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { ChatView } from "../support/vscode/chat-view.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import type { VsCodeWindow } from "../support/vscode/vscode-window.js";
import { webviewFrame } from "../support/vscode/webview-frame.js";
import { until } from "../support/until.js";
import { scriptedAgent, useVsCode } from "./stage.js";

describe("a chat in an editor", () => {
  const stage = useVsCode(newestVsCode, { settings: scriptedAgent() });

  /** The editor's own tab. */
  const editorTab = (window: VsCodeWindow, title: string): Locator =>
    window.page.locator(".tabs-container .tab", { hasText: title });

  const topOf = async (chat: ChatView): Promise<number> => {
    const top: unknown = await (
      await webviewFrame(chat.page)
    ).evaluate('document.querySelector(".transcript-scroller").scrollTop');
    return Number(top);
  };

  it("keeps its draft, place and question, is answered there, outlives a reload, and comes back", async () => {
    const panel = await stage().openChat();
    const { window } = panel;
    await panel.choose("Scripted");
    await panel.ask("stream 400 80");
    await panel.send("permission allow\necho after");
    await panel.permission.getByRole("button", { name: "Once" }).waitFor();
    await panel.prompt.fill("half a thought");
    await panel.page.locator(".transcript-scroller").hover();
    await window.page.mouse.wheel(0, -100_000);
    await until(
      () => topOf(panel),
      (top) => top === 0,
    );
    await panel.page.getByRole("button", { name: "More: agents" }).click();
    await panel.page.getByRole("menuitem", { name: "Open in editor" }).click();

    const editor = ChatView.inEditor(window);
    await editor.page.locator("symposium-prompt-field textarea:focus").waitFor();
    assert.equal(await editor.prompt.inputValue(), "half a thought");
    assert.equal(await editor.tabs.count(), 0);
    assert.ok((await topOf(editor)) < 100, "The editor shows the place that the panel showed.");
    await panel.page.locator("symposium-no-tab").waitFor();
    await window.screenshot("chat-editor-asks");
    await editor.page.locator(".transcript-scroller").hover();
    await window.page.mouse.wheel(0, 100_000);
    await editor.permission.getByRole("button", { name: "Once" }).click();
    await editor.answers.filter({ hasText: "after" }).waitFor();
    await editor.prompt.fill("half a thought, and more");

    // The command, since a browser that reloads by itself may not have stored which editors are open.
    await Promise.all([window.page.waitForEvent("load"), window.run("Developer: Reload Window")]);
    await window.ready();
    const again = ChatView.inEditor(window);
    await again.answers.filter({ hasText: "after" }).waitFor();
    assert.equal(await again.prompt.inputValue(), "half a thought, and more");
    await again.ask("echo gone on with");
    await again.prompt.fill("the last thought");
    await again.prompt.press("ControlOrMeta+w");
    const back = await ChatView.open(window);
    await back.answers.filter({ hasText: "gone on with" }).waitFor();
    assert.equal(await back.prompt.inputValue(), "the last thought");
    await window.page.locator(".tabs-container .tab").waitFor({ state: "detached" });
  });

  it("stands beside others, each with its agent's state, and commands are about the one with the focus", async () => {
    const panel = await stage().openChat();
    const { window } = panel;
    await panel.choose("Scripted");
    await panel.ask("echo first");
    await window.run("Symposium: Open Chat in Editor");
    const first = ChatView.inEditor(window);
    await first.answers.filter({ hasText: "first" }).waitFor();
    await window.run("Symposium: New Chat");
    await panel.ask("echo second");
    await window.run("Symposium: Open Chat in Editor");
    const second = ChatView.inEditor(window, 1);
    await ChatView.inEditor(window).answers.filter({ hasText: "second" }).waitFor();
    await window.run("View: Move Editor into Right Group");
    await second.answers.filter({ hasText: "second" }).waitFor();
    await first.answers.filter({ hasText: "first" }).waitFor();
    await first.send("wait_for_cancel");
    await first.page.getByRole("button", { name: "Stop", exact: true }).waitFor();
    await second.send("permission");
    await second.permission.getByRole("button", { name: "Once" }).waitFor();
    await window.screenshot("chat-editors-beside");
    await editorTab(window, "echo first").click();
    await window.run("Symposium: Stop the Running Turn");
    await first.ends.nth(1).waitFor();
    assert.equal(await second.permission.getByRole("button", { name: "Once" }).count(), 1);
    await editorTab(window, "echo second").click();
    await window.run("Symposium: Move Chat to Panel");
    await panel.permission.getByRole("button", { name: "Once" }).click();
    await panel.ends.nth(1).waitFor();
    assert.equal(await editorTab(window, "echo second").count(), 0);
    assert.equal(await editorTab(window, "echo first").count(), 1);
  });
});
