import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { format } from "node:util";
import { type BrowserContext, errors, type FrameLocator, type Locator, type Page } from "playwright-core";
import { repositoryRoot } from "../repository.js";
import { poll } from "../until.js";
import type { VsCodeServer } from "./vscode-server.js";

/** Our extension, installed or in the repository, in addresses and stacks. */
const ours = /symposium-dev\.symposium|vscode-extension\//;
/** How long the first try to find a command in the palette waits. */
const firstLookMs = 2_000;
/** The looks that an extension has to fit: the theme's name in the palette, and the class that its windows have. */
const themes = {
  light: { label: "Light Modern", mark: "vs" },
  dark: { label: "Dark Modern", mark: "vs-dark" },
  "high-contrast": { label: "Dark High Contrast", mark: "hc-black" },
} as const;
type ThemeName = keyof typeof themes;
export const themeNames: readonly ThemeName[] = ["light", "dark", "high-contrast"];

export interface WindowOptions {
  /** The folder or `.code-workspace` file to open; an empty window when absent. */
  readonly workspace?: string;
  /** The folder of an extension that is loaded without being installed. */
  readonly developmentPath?: string;
  /** A script that runs in the extension host, then ends the window; `developmentPath` has to be there too. */
  readonly testsPath?: string;
}

/** One window of VS Code: its page in Chromium, and the ways in that every scenario needs. */
export class VsCodeWindow implements AsyncDisposable {
  /** Errors that come from our extension or its pages; VS Code's own are many and not ours. */
  readonly errors: string[] = [];
  /** Messages on the window's console. */
  readonly console: string[] = [];
  /** Messages on the console of a test run's extension host. */
  readonly hostOutput: string[] = [];
  /** Resolves with the exit code of `testsPath`. */
  readonly testsEnded: Promise<number>;
  #endTests: (code: number) => void = () => undefined;

  private constructor(readonly page: Page) {
    this.testsEnded = new Promise((resolve) => (this.#endTests = resolve));
    page.on("console", (message) => {
      this.console.push(message.text());
      const error = `${message.text()} (${message.location().url})`;
      if (message.type() === "error" && ours.test(error) && !isHarmless(error)) this.errors.push(error);
    });
    page.on("pageerror", (failure) => {
      const error = failure.stack ?? failure.message;
      if (ours.test(error)) this.errors.push(error);
    });
    page.on("crash", () => this.errors.push("The window crashed."));
  }

  /** Opens a window and waits until it can be used; one that runs tests is not waited for. */
  static async open(context: BrowserContext, server: VsCodeServer, options: WindowOptions): Promise<VsCodeWindow> {
    const page = await context.newPage();
    const window = new VsCodeWindow(page);
    await page.exposeFunction("codeAutomationExit", (code: number) => window.#endTests(code));
    await page.exposeFunction("codeAutomationLog", (_type: string, args: readonly unknown[]) => {
      window.hostOutput.push(format(...args));
    });
    await page.goto(urlOf(server, options));
    if (options.testsPath === undefined) await window.ready();
    return window;
  }

  /** Waits until the workbench stands and its status bar shows that it is connected. */
  async ready(): Promise<void> {
    await this.page.locator(".monaco-workbench .statusbar-item").first().waitFor();
  }

  /** "Developer: Reload Window": a new extension host, the same window. */
  async reload(): Promise<void> {
    await this.page.reload();
    await this.ready();
  }

  /** Runs a command by its title in the command palette, once an extension has contributed it. */
  async run(title: string): Promise<void> {
    await this.#choose(`>${title}`, title);
  }

  /** The field of the list or input above the editor whose title or message has `words`: the palette before has the same field. */
  quickInput(words: string): Locator {
    const says = this.page.locator(":is(.quick-input-title, .quick-input-message)", { hasText: words });
    return this.page.locator(".quick-input-widget", { has: says }).locator("input.input");
  }

  /** Opens a file of the workspace by its name, and waits until its editor has the focus. */
  async openFile(name: string): Promise<void> {
    await this.#choose(name, name);
    await this.page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
    // The tab is there a little before the editor has changed from the file before to this one.
    const shown = `.monaco-editor.focused[data-uri$="/${encodeURIComponent(name)}"]`;
    await this.page.locator(`.editor-group-container.active ${shown}`).waitFor();
  }

  /** Changes the colour theme, and waits until it is shown. */
  async useTheme(name: ThemeName): Promise<void> {
    const { label, mark } = themes[name];
    await this.run("Preferences: Color Theme");
    await this.page.locator('.quick-input-widget input.input[placeholder*="Color Theme"]').fill(label);
    await this.#found(label).click();
    await this.page.locator(`.monaco-workbench.${mark}`).waitFor();
  }

  /** The content of a webview of an extension, e.g. `symposium-dev.symposium`; `index` counts where there are several. */
  webview(extension: string, index = 0): FrameLocator {
    return contentOf(this.#webviews(extension).nth(index));
  }

  /** Returns the content of the extension's first view. The locator keeps matching this view after it is hidden and shown. */
  async webviewOfView(extension: string): Promise<FrameLocator> {
    const first = this.#webviews(extension, '[src*="purpose=webviewView"]').first();
    // After a view is shown again, its URL lacks `purpose=webviewView` but has the same origin.
    const origin = new URL((await first.getAttribute("src")) ?? "").searchParams.get("origin");
    return contentOf(this.#webviews(extension, `[src*="origin=${origin}"]`).first());
  }

  /** The content of a webview in an editor. */
  webviewOfEditor(extension: string, index = 0): FrameLocator {
    return contentOf(this.#webviews(extension, ':not([src*="purpose="])').nth(index));
  }

  /** Returns the contents of the webviews in editors. Each locator keeps matching its page when others open or close. */
  async webviewsOfEditors(extension: string): Promise<readonly FrameLocator[]> {
    const frames = await this.#webviews(extension, ':not([src*="purpose="])').all();
    const names = await Promise.all(frames.map((frame) => frame.getAttribute("name")));
    return names.map((name) => contentOf(this.#webviews(extension, `[name="${name}"]`)));
  }

  #webviews(extension: string, those = ""): Locator {
    return this.page.locator(`iframe.webview.ready[src*="extensionId=${extension}"]${those}`);
  }

  /** Saves a picture as `test-output/screenshots/NAME.png` and returns its path. */
  async screenshot(name: string): Promise<string> {
    const folder = join(repositoryRoot, "test-output", "screenshots");
    await mkdir(folder, { recursive: true });
    const path = join(folder, `${name}.png`);
    await this.page.screenshot({ path });
    return path;
  }

  /** Describes dialogs, notifications, the active tab, the status bar and the focus, for reports of failed tests. */
  async inFront(): Promise<string> {
    const parts = [".monaco-dialog-box", ".quick-input-widget", ".notification-list-item", ".tab.active", ".statusbar"];
    const texts = await Promise.all(parts.map((part) => this.page.locator(`${part}:visible`).allInnerTexts()));
    const shown = parts.map((part, index) => `${part} ${JSON.stringify(texts[index])}`);
    const focus = await this.page.evaluate("document.activeElement?.outerHTML.slice(0, 200)");
    return [...shown, `focus ${JSON.stringify(focus)}`].join("\n  ");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.context().close();
  }

  /**
   * Finds the row with this label in the list above the editor. Rows without highlighted text are ignored: they belong to an earlier
   * list.
   */
  #found(label: string): Locator {
    const row = this.page.locator(".quick-input-list .monaco-list-row");
    const words = label.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const name = this.page.locator(".label-name", { hasText: new RegExp(`^${words}(\\.\\.\\.|…)?$`) });
    return row.filter({ has: name.filter({ has: this.page.locator(".highlight") }) }).first();
  }

  /**
   * Writes into the command palette, and clicks the row of that label. The page looks at the row and clicks it in one step:
   * the palette uses rows again for other labels and closes when it loses the focus, and a command must never run twice.
   */
  async #choose(written: string, label: string): Promise<void> {
    const input = this.page.locator(".quick-input-widget input.input");
    const row = this.#found(label);
    let timeout = firstLookMs;
    const attempt = async (): Promise<boolean> => {
      await this.page.keyboard.press("F1");
      const isDone = await inTime(async () => {
        await input.fill(written, { timeout });
        await row.waitFor({ timeout });
        return row.evaluate(clickOwnRow, label, { timeout });
      });
      if (isDone === true) return true;
      // The palette was closed, or does not show a command that was contributed later.
      await this.page.keyboard.press("Escape");
      // On a slow machine a short look may never find it.
      timeout *= 2;
      return false;
    };
    if (!(await poll(attempt, (isDone) => isDone))) throw new Error(`The command palette has no "${label}".`);
  }
}

/** What is used of a row of a list, in the page. */
interface Row {
  checkVisibility(): boolean;
  querySelector(selectors: string): { readonly textContent: string } | null;
  click(): void;
}

/** Runs in the page: clicks the row if it is in sight and still has that label. */
const clickOwnRow = (row: Row, label: string): boolean => {
  const isOwn =
    row.checkVisibility() && row.querySelector(".label-name")?.textContent.replace(/\.\.\.$|…$/, "") === label;
  if (isOwn) row.click();
  return isOwn;
};

function isHarmless(error: string): boolean {
  return isInterruptedLoad(error) || isWithoutScripts(error);
}

/** A page of ours that runs no script: Chromium reports each script that somebody else puts into its frame. */
function isWithoutScripts(error: string): boolean {
  return (
    error.startsWith("Blocked script execution in ") && error.includes("the 'allow-scripts' permission is not set")
  );
}

/** A page that is taken away while it loads a file: the editor counts that as an error, although the file is there. */
function isInterruptedLoad(error: string): boolean {
  const path = /Webview\.loadLocalResource .*requestUri=vscode-remote:\/\/[^/]+(\/[^?,]+)/.exec(error)?.[1];
  return path !== undefined && existsSync(path);
}

/** The value of steps; undefined where what one of them waits for does not come in time. */
async function inTime<T>(steps: () => Promise<T>): Promise<T | undefined> {
  try {
    return await steps();
  } catch (failure) {
    if (failure instanceof errors.TimeoutError) return undefined;
    throw failure;
  }
}

function urlOf(server: VsCodeServer, options: WindowOptions): string {
  const { workspace, developmentPath, testsPath } = options;
  const payload = [
    ["skipWelcome", "true"],
    ...(developmentPath === undefined ? [] : [["extensionDevelopmentPath", server.remote(developmentPath)]]),
    ...(testsPath === undefined ? [] : [["extensionTestsPath", server.remote(testsPath)]]),
  ];
  const kind = workspace?.endsWith(".code-workspace") === true ? "workspace" : "folder";
  const query = new URLSearchParams(workspace === undefined ? { ew: "true" } : { [kind]: workspace });
  query.set("payload", JSON.stringify(payload));
  return `http://${server.authority}/?${query.toString()}`;
}

/** Returns a webview's content from an extension. Its page is in a frame within the editor's frame. */
function contentOf(webview: Locator): FrameLocator {
  return webview.contentFrame().locator("iframe#active-frame").contentFrame();
}
