import assert from "node:assert/strict";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { repositoryRoot } from "../support/repository.js";
import { until } from "../support/until.js";
import type { ChatView } from "../support/vscode/chat-view.js";
import { modelExtension } from "../support/vscode/model-extension.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import type { VsCodeWindow } from "../support/vscode/vscode-window.js";
import { scriptedAgent, useVsCode } from "./stage.js";

const extension = "symposium-dev.symposium";
const clock = join(repositoryRoot, "test", "dist", "support", "programs", "mcp-server.js");

describe("an agent in the user's editor", () => {
  // In a browser, VS Code would save after a second what the test leaves unsaved.
  const stage = useVsCode(newestVsCode, { settings: { ...scriptedAgent(), "files.autoSave": "off" } });

  const openFolder = async (files: Readonly<Record<string, string>>): Promise<{ chat: ChatView; folder: string }> => {
    const workspace = await mkdtemp(join(stage().code.folder.workspace, "files-"));
    for (const [name, text] of Object.entries(files)) await writeFile(join(workspace, name), text);
    const chat = await stage().openChat({ workspace });
    await chat.choose("Scripted");
    return { chat, folder: workspace };
  };
  const status = (window: VsCodeWindow, words: string): Locator =>
    window.page.locator(`.statusbar-item[aria-label="Symposium: ${words}"]`);

  it("gets a selection and a file, reads what is not saved, and leaves its edits for review", async () => {
    const [lines, edited] = ["one\ntwo\nthree\nfour\nfive\nsix\n", "one\nTWO\nthree\nfour\nfive\nsix\n"];
    const { chat, folder } = await openFolder({ "before.txt": lines, "after.txt": edited, "needle.txt": "found" });
    const { window } = chat;
    const { page } = window;
    const [before, after] = [join(folder, "before.txt"), join(folder, "after.txt")];
    await window.openFile("before.txt");
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("not saved ");
    await page.keyboard.press("Shift+ArrowDown");
    await window.run("Symposium: Discuss in Symposium");
    await chat.page.locator("symposium-composer .chip", { hasText: "before.txt" }).waitFor();
    await chat.prompt.pressSequentially("echo see @need");
    // The option that Enter takes.
    await chat.page.getByRole("option", { name: /needle\.txt/, selected: true }).waitFor();
    await chat.prompt.press("Enter");
    await chat.page.locator("symposium-composer .chip", { hasText: "needle.txt" }).waitFor();
    await chat.prompt.press("Enter");
    await chat.ends.waitFor();

    await chat.ask(`fs ${before} ${after}`);
    const [unsaved, written] = [await readFile(before, "utf8"), await readFile(after, "utf8")];
    await window.openFile("after.txt");
    const lens = (change: string, words: string): Locator =>
      page.locator(".codelens-decoration", { hasText: `Change ${change}` }).locator("a", { hasText: words });
    await lens("2 of 2", "Undo").click();
    await lens("1 of 1", "Keep").click();
    await chat.page.getByRole("region", { name: "Changed files" }).waitFor({ state: "detached" });
    const wanted = "NOT SAVED ONE\nTWO\nthree\nfour\nfive\nsix\n";
    // The marks go with the document, a moment before the file is saved.
    await until(
      () => readFile(after, "utf8"),
      (text) => text === wanted,
    );
    assert.deepEqual([unsaved, written], [lines, "NOT SAVED ONE\nTWO\nTHREE\nFOUR\nFIVE\nSIX\n"]);
  });

  it("shows in the status bar and on a badge what it does while the user looks elsewhere", async () => {
    const { chat, folder } = await openFolder({
      "wait.sh": 'until [ -e "$0.end" ]; do sleep 0.1; done\n',
      "elsewhere.txt": "",
    });
    const { window } = chat;
    const badge = chat.entry.locator(".badge-content");
    const badgeSays = (wanted: RegExp): Promise<string | null> =>
      until(
        () => chat.entry.locator("a.action-label").getAttribute("aria-label"),
        (text) => wanted.test(text ?? ""),
      );
    await chat.send(`terminal sh ${join(folder, "wait.sh")}`);
    await status(window, "Scripted is working").locator(".codicon-loading").waitFor();
    await chat.newTab();
    await chat.send("permission allow");
    await status(window, "Scripted waits for your answer").waitFor();
    await chat.hide();
    await badge.filter({ hasText: "1" }).waitFor();
    await badgeSays(/1 chat is waiting for your answer$/);
    await writeFile(join(folder, "wait.sh.end"), "");
    await badge.filter({ hasText: "2" }).waitFor();
    await badgeSays(/1 chat is waiting for your answer; 1 finished chat$/);
    await window.screenshot("badge-of-chats");
    await status(window, "Scripted waits for your answer").click();
    await chat.answerByKey("3");
    await chat.ends.waitFor();
    await status(window, "Scripted is ready").waitFor();
    await chat.page.getByRole("tab", { name: "done, unread" }).click();
    await badge.waitFor({ state: "hidden" });

    const field = chat.page.locator("symposium-prompt-field textarea:focus");
    for (const isHidden of [false, true]) {
      if (isHidden) await chat.hide();
      await window.openFile("elsewhere.txt");
      await window.run("Symposium: Open Chat");
      await field.waitFor();
    }
  });

  it("has its view in the secondary side bar, or in the bar that the user moves it to", async () => {
    const { chat } = await openFolder({});
    const { window } = chat;
    const { page } = window;
    await page.locator(explorer).waitFor();
    assert.deepEqual(await entries(window), { secondarySideBar: 1, activityBar: 0 });
    // The view of agents and extensions stays behind, so that its page may be the first.
    const pages = [0, 1].map((index) => window.webview(extension, index));
    // The editor reports an error if a page is taken away while it loads its files.
    const isLoaded = () => Promise.any(pages.map((one) => one.locator("symposium-chat > *").first().waitFor()));
    await window.run("View: Move View");
    const rows = page.locator(".quick-input-list .monaco-list-row");
    const found = rows.filter({ has: page.locator(".highlight", { hasText: "Chat" }) });
    await page.locator('.quick-input-widget input.input[placeholder="Select a View to Move"]').fill("Chat");
    // The first is the editor's own.
    await found.nth(1).click();
    await rows.filter({ hasText: "New Side Bar Entry" }).click();
    const title = page.locator(".part.sidebar .title-label", { hasText: "Symposium: Chat" });
    await title.waitFor();
    await isLoaded();
    await window.reload();
    await window.run("Symposium: Open Chat");
    await title.waitFor();
    await isLoaded();
    assert.equal((await entries(window)).activityBar, 1);
  });
});

describe("an agent in an editor that keeps its secondary side bar for itself", () => {
  const stage = useVsCode(newestVsCode, { settings: scriptedAgent(), hidesSecondarySideBar: true });

  it("has its view in the activity bar, and nothing in the explorer", async () => {
    const chat = await stage().openChat();
    await chat.choose("Scripted");
    await chat.ask("echo in the activity bar");
    assert.deepEqual(await entries(chat.window), { secondarySideBar: 0, activityBar: 1 });
    await chat.hide();
    await chat.window.page.locator(explorer).waitFor();
    const titles = await chat.window.page.locator(".part.sidebar .pane-header .title").allInnerTexts();
    assert.deepEqual(
      titles.filter((title) => /chat|agents/iu.test(title)),
      [],
    );
    await chat.show();
    await chat.reload();
    await chat.answers.filter({ hasText: "in the activity bar" }).waitFor();
  });
});

describe("an agent with the tools of VS Code", () => {
  const stage = useVsCode(newestVsCode, {
    settings: {
      ...{ "symposium.editorTools": "all", "symposium.bypassPermissions": ["eliza"] },
      "symposium.extensions": [],
    },
  });

  it("runs extensions' tools and those of MCP servers that the user starts, after VS Code's own question", async () => {
    const { root } = stage().code.folder;
    const entry = { type: "stdio", command: process.execPath, args: [clock] };
    await writeFile(join(root, "user", "User", "mcp.json"), JSON.stringify({ servers: { clock: entry } }));
    const chat = await stage().openChat({ developmentPath: modelExtension });
    const { window } = chat;
    const { page } = window;
    const useTool = (name: string, args: object): string =>
      `use tool vscode_tools::${name} with ${JSON.stringify(args)}`;
    const lastAnswer = async (): Promise<string> => (await chat.answerTexts()).at(-1) ?? "";
    /** Sends a prompt whose tool VS Code asks about, and presses a button of that question. */
    const asked = async (prompt: string, question: string, button: string): Promise<string> => {
      const before = await chat.lastEnd();
      await chat.send(prompt);
      const dialog = page.locator(".monaco-dialog-box", { hasText: question });
      await dialog.locator(".monaco-button", { hasText: button }).click();
      await chat.endAfter(before).waitFor();
      return lastAnswer();
    };
    await chat.choose("Demo");
    await chat.ask(useTool("consumer_shout", { text: "from afar" }));
    assert.match(await lastAnswer(), /FROM AFAR/);
    const careful = useTool("consumer_careful", { text: "with leave" });
    assert.match(await asked(careful, "The tool asks before it runs.", "Yes"), /with leave/);
    assert.match(
      await asked(careful, "The tool asks before it runs.", "Cancel"),
      /did not allow "consumer_careful" in VS Code/,
    );
    await chat.ask(useTool("symposium-agent-action", {}));
    assert.match(await lastAnswer(), /has no tool "symposium-agent-action"/);

    const row = (text: string): Locator => page.locator(".quick-input-list .monaco-list-row", { hasText: text });
    await window.run("MCP: List Servers");
    await row("clock").click();
    await row("Start Server").click();
    // Its output is shown once it has started, and takes the focus.
    await page.locator(".part.panel .view-line").first().waitFor();
    await window.run("Symposium: MCP Servers");
    const servers = window.webviewOfEditor(extension);
    await servers.getByRole("button", { name: /^\d+ tools?, .*: vscode_tools$/ }).click();
    await servers.getByRole("checkbox", { name: /^mcp_clock_now / }).waitFor();
    assert.match(await asked(useTool("mcp_clock_now", {}), "Run now", "Yes"), /noon/);
  });
});

const explorer = ".part.sidebar .explorer-folders-view";

/** How many entries of ours are chosen in each bar. */
async function entries({ page }: VsCodeWindow): Promise<{ secondarySideBar: number; activityBar: number }> {
  const chosen = ".action-item.checked a[aria-label^=Symposium]";
  return {
    secondarySideBar: await page.locator(`.part.auxiliarybar > .title ${chosen}`).count(),
    activityBar: await page.locator(`.activitybar ${chosen}`).count(),
  };
}
