import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FrameLocator } from "playwright-core";
import { objectOf, parseObject } from "../support/json.js";
import { runToEnd } from "../support/child.js";
import { environmentOfThisMachine } from "../support/environment.js";
import { pathWith, repositoryRoot } from "../support/repository.js";
import { scaledMs, until } from "../support/until.js";
import { newestVsCode } from "../support/vscode/vscode-build.js";
import { VsCodeWindow } from "../support/vscode/vscode-window.js";
import { webviewFrame } from "../support/vscode/webview-frame.js";
import { scriptedAgent, useVsCode } from "./stage.js";

const extension = "symposium-dev.symposium";
/** The language whose texts are the English ones with accents. */
const language = "qps-ploc";
/** The element of each page, by the manifest's key of the command that opens the page. */
const pages = {
  openSettings: "symposium-settings",
  showGuard: "symposium-guard",
  showMcpServers: "symposium-mcp-servers",
  doctor: "symposium-set-up",
};

/** Runs in a page: its visible texts and its labels that have English words and no accents, without those of the command and agents. */
const plainTexts = `(() => {
  const foreign = "code, pre, kbd, style, script, bdi, .no-tab-agent-name, .no-tab-agent-note, .row-name, .finding, .guard-body, .guard-problem, .guard-text";
  const isPlain = (text) => /[a-z]{2}/i.test(text) && !/[\\u00c0-\\u024f\\u1e00-\\u1eff]/.test(text);
  const found = new Set();
  for (const element of document.body.querySelectorAll("*")) {
    if (element.closest(foreign) || !element.checkVisibility()) continue;
    for (const name of ["aria-label", "title", "placeholder", "alt"]) {
      const text = element.getAttribute(name);
      if (text !== null && isPlain(text)) found.add(name + ": " + text);
    }
    for (const node of element.childNodes) {
      if (node.nodeType === 3 && isPlain(node.data)) found.add(node.data.trim().replace(/\\s+/g, " "));
    }
  }
  return [...found];
})()`;

/** Commands that open a list, by the manifest's key. */
const lists = ["selectAgent", "addAgent", "addExtension", "showHistory"];

/**
 * Runs in the workbench: texts of the list above the editor, without its entries' names and details, which come from the command. Empty
 * while the command palette is open.
 */
const listTexts = `(() => {
  const widget = document.querySelector(".quick-input-widget");
  const input = widget?.querySelector("input.input");
  if (widget?.checkVisibility() !== true || input.value.startsWith(">")) return [];
  const parts = ".quick-input-title, .label-description, .quick-input-list-separator";
  const texts = [...widget.querySelectorAll(parts)].filter((one) => one.checkVisibility()).map((one) => one.textContent);
  return [input.placeholder, ...texts].filter((text) => text !== "");
})()`;

/** Runs in the workbench: texts of our status bar items, and the walkthrough's title and titles of its steps. */
const workbenchTexts = `(() => {
  const own = [...document.querySelectorAll('.statusbar-item[id^="symposium-dev.symposium"]')];
  const titles = [...document.querySelectorAll(".gettingStartedSlideDetails :is(h2, h3, .category-description, .step-title)")];
  return [...own.map((one) => one.ariaLabel ?? one.querySelector("[aria-label]")?.ariaLabel ?? ""), ...titles.map((one) => one.textContent)];
})()`;

const isPlain = (text: string): boolean => /[a-z]{2}/i.test(text) && !/[\u00c0-\u024f\u1e00-\u1eff]/.test(text);

describe("the extension in another language", () => {
  const stage = useVsCode(newestVsCode, { settings: scriptedAgent() });

  it("has a translation of every text", async () => {
    const { browser, server, folder } = stage().code;
    const installed = join(folder.root, "extensions");
    const place = (await readdir(installed)).find((name) => name.startsWith(extension)) ?? "";
    const words = ["node", join(repositoryRoot, "scripts/texts.mjs"), "--pseudo", join(installed, place)];
    const env = { ...environmentOfThisMachine(), PATH: pathWith() };
    const made = await runToEnd({ words, env, cwd: repositoryRoot }, scaledMs(180_000));
    assert.equal(made.code, 0, made.stderr);
    const file = join(installed, place, `package.nls.${language}.json`);
    const titles = objectOf(parseObject(await readFile(file, "utf8")));

    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    context.setDefaultTimeout(scaledMs());
    await context.addInitScript(
      `Object.defineProperty(globalThis, "_VSCODE_NLS_LANGUAGE", { get: () => "${language}", set: () => {} });`,
    );
    const window = await VsCodeWindow.open(context, server, { workspace: folder.workspace });
    const found: Record<string, unknown> = {};
    await window.run(`Symposium: ${String(titles["command.openChat"])}`);
    const chat = await window.webviewOfView(extension);
    await chat.locator("symposium-chat > *").first().waitFor();
    found["openChat"] = await (await webviewFrame(chat)).evaluate(plainTexts);
    await window.screenshot("accents-chat");
    for (const list of lists) {
      await window.run(`Symposium: ${String(titles[`command.${list}`])}`);
      const texts = await until(
        () => window.page.evaluate<string[]>(listTexts),
        (all) => all.length > 0,
      );
      // Rows of the command palette stay in the page.
      found[list] = texts.filter((text) => isPlain(text) && text !== "similar commands" && text !== "recently used");
      await window.page.keyboard.press("Escape");
    }
    await window.run(`Symposium: ${String(titles["command.openWalkthrough"])}`);
    await window.page.locator(".gettingStartedSlideDetails .step-title").first().waitFor();
    const workbench = await window.page.evaluate<string[]>(workbenchTexts);
    assert.ok(workbench.length > 5, JSON.stringify(workbench));
    found["workbench"] = workbench.filter(isPlain);
    await window.screenshot("accents-walkthrough");
    for (const [page, element] of Object.entries(pages)) {
      await window.run(`Symposium: ${String(titles[`command.${page}`])}`);
      const shown = await until(
        () => pageWith(window, element),
        (one) => one !== undefined,
      );
      if (shown === undefined) throw new Error(`No editor shows ${element}.`);
      await until(
        () => shown.locator('[aria-busy="true"]').count(),
        (count) => count === 0,
      );
      found[page] = await (await webviewFrame(shown)).evaluate(plainTexts);
      await window.screenshot(`accents-${page}`);
    }
    await context.close();
    assert.deepEqual(
      found,
      Object.fromEntries(["openChat", ...lists, "workbench", ...Object.keys(pages)].map((page) => [page, []])),
    );
  });
});

/** The page in an editor that has this element with content. */
async function pageWith(window: VsCodeWindow, element: string): Promise<FrameLocator | undefined> {
  for (const one of await window.webviewsOfEditors(extension)) {
    if ((await one.locator(`${element} h1`).count()) > 0) return one;
  }
  return undefined;
}
