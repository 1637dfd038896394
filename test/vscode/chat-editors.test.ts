import assert from "node:assert/strict";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { ChatView } from "../support/vscode/chat-view.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import type { VsCodeWindow } from "../support/vscode/vscode-window.js";
import { webviewFrame } from "../support/vscode/webview-frame.js";
import { until } from "../support/until.js";
import { scriptedAgent, useVsCode } from "./stage.js";

const reloadLimitMs = 120_000;
const before = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";

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

  /** Turns the wheel over the transcript until it is where it is to be. */
  const wheel = async (chat: ChatView, pixels: number, isThere: () => Promise<boolean>): Promise<void> => {
    const arrived = await until(
      async () => {
        if (await isThere()) return true;
        await chat.page.locator(".transcript-scroller").hover();
        await chat.window.page.mouse.wheel(0, pixels);
        return false;
      },
      (is) => is,
    );
    assert.ok(arrived, "The transcript does not get there by the wheel.");
  };

  const draftIs = async (chat: ChatView, wanted: string): Promise<void> => {
    const shown = await until(
      () => chat.prompt.inputValue(),
      (text) => text === wanted,
    );
    assert.equal(shown, wanted);
  };

  it("keeps its draft, place and question, outlives a reload, comes back, and stands beside others", async () => {
    const panel = await stage().openChat();
    const { window } = panel;
    await panel.choose("Scripted");
    await panel.ask("stream 400 80");
    await panel.send("permission allow\necho after");
    await panel.permission.getByRole("button", { name: "Once" }).waitFor();
    await panel.prompt.fill("half a thought");
    // An answer that is still being drawn may go back to its end.
    await wheel(panel, -100_000, async () => (await topOf(panel)) === 0);
    await panel.page.getByRole("button", { name: "More: agents" }).click();
    await panel.page.getByRole("menuitem", { name: "Open in editor" }).click();

    const editor = ChatView.inEditor(window);
    await editor.page.locator("symposium-prompt-field textarea:focus").waitFor();
    await draftIs(editor, "half a thought");
    assert.equal(await editor.tabs.count(), 0);
    // Only what is near the place that is shown is in the page.
    await editor.prompts.filter({ hasText: "stream 400 80" }).waitFor();
    assert.ok((await topOf(editor)) < 100, "The editor shows the place that the panel showed.");
    await panel.page.locator("symposium-no-tab").waitFor();
    await window.screenshot("chat-editor-asks");
    const once = editor.permission.getByRole("button", { name: "Once" });
    await wheel(editor, 100_000, () => once.isVisible());
    await once.click();
    await editor.answers.filter({ hasText: "after" }).waitFor();
    await editor.prompt.fill("half a thought, and more");

    // The command, since a browser that reloads by itself may not have stored which editors are open.
    await Promise.all([
      window.page.waitForEvent("load", { timeout: reloadLimitMs }),
      window.run("Developer: Reload Window"),
    ]);
    await window.ready();
    const again = ChatView.inEditor(window);
    await again.answers.filter({ hasText: "after" }).waitFor();
    await draftIs(again, "half a thought, and more");
    await again.ask("echo gone on with");
    await again.prompt.fill("the last thought");
    await again.prompt.press("ControlOrMeta+w");
    const back = await ChatView.open(window);
    await back.answers.filter({ hasText: "gone on with" }).waitFor();
    await draftIs(back, "the last thought");
    await window.page.locator(".tabs-container .tab").waitFor({ state: "detached" });

    const newChat = async (): Promise<void> => {
      await window.run("Symposium: New Chat");
      await back.page.locator("[role=tab][aria-selected=true]:nth-child(2)").waitFor();
    };
    // Each of two beside each other has its agent's state, and a command is about the one with the focus.
    await newChat();
    await back.ask("echo first");
    await window.run("Symposium: Open Chat in Editor");
    await ChatView.inEditorWith(window, "first");
    await newChat();
    await back.ask("echo second");
    await window.run("Symposium: Open Chat in Editor");
    await ChatView.inEditorWith(window, "second");
    await window.run("View: Move Editor into Right Group");
    // The one behind has a page again, and the one that is moved another.
    const first = await ChatView.inEditorWith(window, "first");
    const second = await ChatView.inEditorWith(window, "second");
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
    await back.permission.getByRole("button", { name: "Once" }).click();
    await back.ends.nth(1).waitFor();
    await editorTab(window, "echo second").waitFor({ state: "detached" });
    assert.equal(await editorTab(window, "echo first").count(), 1);
  });
});

describe("two windows on one folder", () => {
  const stage = useVsCode(newestVsCode, { settings: { ...scriptedAgent(), "files.autoSave": "off" } });

  const lens = ({ page }: VsCodeWindow, words: string): Locator =>
    page.locator(".codelens-decoration a", { hasText: words });
  const status = ({ page }: VsCodeWindow, words: string): Locator =>
    page.locator(".statusbar-item", { hasText: words });

  it("each review what their own agents change, see the other's as another writer's, and leave all to the next one", async () => {
    const workspace = await mkdtemp(join(stage().code.folder.workspace, "two-"));
    const [cart, tax] = [join(workspace, "cart.txt"), join(workspace, "tax.txt")];
    for (const file of [cart, tax]) await writeFile(file, before);
    for (const number of [1, 2])
      await writeFile(join(workspace, `new-${number}.txt`), before.replace("two", `TWO ${number}`));
    const first = await stage().openChat({ workspace });
    await first.choose("Scripted");
    const second = await stage().openChat({ workspace });
    await second.choose("Scripted");
    await second.window.run("Symposium: Toggle Review of All Changes");
    await status(second.window, "0 files to review").waitFor();

    await first.ask("terminal cp new-1.txt cart.txt");
    await status(second.window, "1 file to review").waitFor();
    await second.window.openFile("cart.txt");
    await lens(second.window, "Change 1 of 1, +1 −1, by another program").waitFor();
    await second.ask("terminal cp new-2.txt tax.txt");
    await status(second.window, "2 files to review").waitFor();
    await second.window.screenshot("two-windows-second");
    await first.window.openFile("tax.txt");
    await first.window.openFile("cart.txt");
    await lens(first.window, "Change 1 of 1").waitFor();

    // A request that one window answers is gone in the other.
    await second.window.openFile("cart.txt");
    await lens(second.window, "Keep").first().click();
    await status(second.window, "1 file to review").waitFor();
    await lens(first.window, "Change 1 of 1").waitFor();

    for (const { window } of [second, first]) {
      // A page that is closed while it does not answer says no goodbye, and its extension host waits hours for it.
      await window.page.goto("about:blank");
      await window[Symbol.asyncDispose]();
    }
    const hosts = await until(
      () => stage().code.processes(/--type=extensionHost/),
      (running) => running.length === 0,
    );
    assert.deepEqual(hosts, []);
    const next = await stage().openWindow({ workspace });
    for (const name of ["cart.txt", "tax.txt"]) {
      await next.openFile(name);
      await lens(next, "Change 1 of 1").waitFor();
    }
    // The mode of the second one goes on here.
    await status(next, "2 files to review").waitFor();
    await next.screenshot("two-windows-next");
    await next.run("Symposium: Undo All Changes");
    for (const file of [cart, tax])
      assert.equal(
        await until(
          () => readFile(file, "utf8"),
          (text) => text === before,
        ),
        before,
      );
  });
});
