import assert from "node:assert/strict";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { newestVsCode, oldestVsCode } from "../support/vscode/vscode-build.js";
import { scriptedAgent, useVsCode } from "./stage.js";

const inSecondarySideBar = ".part.auxiliarybar > .title .action-item.checked a[aria-label^=Symposium]";
const inActivityBar = ".activitybar .action-item.checked a[aria-label^=Symposium]";
const explorer = ".part.sidebar .explorer-folders-view";

describe("the place of the chat view", () => {
  const stage = useVsCode(newestVsCode, { settings: scriptedAgent() });

  it("is the secondary side bar, so that the explorer stays in sight", async () => {
    const chat = await stage().openChat();
    await chat.choose("Scripted");
    await chat.ask("echo beside the explorer");
    const { page } = chat.window;
    await page.locator(explorer).waitFor();
    assert.deepEqual(await counts(page), { secondarySideBar: 1, activityBar: 0 });
  });

  it("is where the user has moved it, after a reload too", async () => {
    const workspace = await mkdtemp(join(stage().code.folder.workspace, "moved-"));
    const chat = await stage().openChat({ workspace });
    const { window } = chat;
    const { page } = window;
    // A page that is still loading its files is not to be taken away: the editor counts that as an error.
    // The view of agents and extensions stays behind, so that its page may be the first.
    const pages = [0, 1].map((index) => window.webview("symposium-dev.symposium", index));
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
    await page.locator(inActivityBar).waitFor();
  });
});

describe("the place of the chat view in an editor that keeps its secondary side bar for itself", () => {
  const stage = useVsCode(oldestVsCode, { settings: scriptedAgent(), hidesSecondarySideBar: true });

  it("is the activity bar, and nothing of it is in the explorer", async () => {
    const chat = await stage().openChat();
    await chat.choose("Scripted");
    await chat.ask("echo in the activity bar");
    const { page } = chat.window;
    assert.deepEqual(await counts(page), { secondarySideBar: 0, activityBar: 1 });
    await chat.hide();
    await page.locator(explorer).waitFor();
    const titles = await page.locator(".part.sidebar .pane-header .title").allInnerTexts();
    assert.deepEqual(
      titles.filter((title) => /chat|agents/iu.test(title)),
      [],
    );
    await chat.show();
    await chat.reload();
    await chat.answers.filter({ hasText: "in the activity bar" }).waitFor();
    await chat.window.screenshot("oldest-placement");
  });
});

/** How many entries of ours are chosen in each bar. */
async function counts(page: Page): Promise<{ secondarySideBar: number; activityBar: number }> {
  return {
    secondarySideBar: await page.locator(inSecondarySideBar).count(),
    activityBar: await page.locator(inActivityBar).count(),
  };
}
