import type { FrameLocator, Locator } from "playwright-core";

import { until } from "../until.js";
import type { VsCodeWindow } from "./vscode-window.js";
import { webviewFrame } from "./webview-frame.js";

const extension = "symposium-dev.symposium";

/** The chat of one window, as its user sees it: the view, or a tab in an editor. */
export class ChatView {
  private constructor(
    readonly window: VsCodeWindow,
    readonly page: FrameLocator,
  ) {}

  /** Opens the view, and waits for its page. */
  static async open(window: VsCodeWindow): Promise<ChatView> {
    await window.run("Symposium: Open Chat");
    const view = new ChatView(window, await window.webviewOfView(extension));
    await view.page.locator("symposium-chat > *").first().waitFor();
    return view;
  }

  /** A tab of the chat that is in an editor; `index` counts where there are several. */
  static inEditor(window: VsCodeWindow, index = 0): ChatView {
    return new ChatView(window, window.webviewOfEditor(extension, index));
  }

  /** The tab in an editor that has that answer: the order of the pages in the window is not that of their editors. */
  static async inEditorWith(window: VsCodeWindow, answer: string): Promise<ChatView> {
    const found = await until(
      async () => {
        for (const page of await window.webviewsOfEditors(extension)) {
          const one = new ChatView(window, page);
          if ((await one.answers.filter({ hasText: answer }).count()) > 0) return one;
        }
        return undefined;
      },
      (one) => one !== undefined,
    );
    if (found === undefined) throw new Error(`No editor shows a chat with the answer "${answer}".`);
    return found;
  }

  /** The view's entry among those of its bar, with its badge. */
  get entry(): Locator {
    return this.window.page.locator(`:is(${barSelector}) ${entrySelector}`);
  }

  /** Text box for the prompt. */
  get prompt(): Locator {
    return this.page.getByRole("textbox", { name: /^Prompt to / });
  }

  get tabs(): Locator {
    return this.page.getByRole("tab");
  }

  /** The user's prompts in the transcript. */
  get prompts(): Locator {
    return this.page.locator("symposium-user .user-text");
  }

  /** The agent's answers in the transcript. */
  get answers(): Locator {
    return this.page.locator("symposium-answer symposium-markdown");
  }

  /** The ends of turns in the transcript. */
  get ends(): Locator {
    return this.page.locator("symposium-turn-end");
  }

  get permission(): Locator {
    return this.page.locator("symposium-permission-card");
  }

  /** Answers the permission card by a digit, once it takes keys: one that has just come does not. */
  async answerByKey(digit: string): Promise<void> {
    await this.permission.locator(".card-answer:not([aria-disabled])").first().waitFor();
    await this.permission.locator("section").press(digit);
  }

  /** Opens the first tab: chooses an agent where none is open. */
  async choose(agentName: string): Promise<void> {
    await this.page.getByRole("button", { name: agentName }).first().click();
    // It is to be written in at once.
    await this.page.locator("symposium-prompt-field textarea:focus").waitFor();
  }

  /** Writes a prompt and sends it; lines of `text` stay one prompt. */
  async send(text: string): Promise<void> {
    await this.prompt.fill(text);
    await this.prompt.press("Enter");
  }

  /** Sends a prompt and waits until its turn has ended and the answer is drawn. */
  async ask(text: string): Promise<void> {
    const before = await this.lastEnd();
    await this.send(text);
    await this.endAfter(before).waitFor();
    await this.#drawn();
  }

  /** The key of the last end of a turn; empty where none has ended. Only ends in sight can be counted. */
  async lastEnd(): Promise<string> {
    return String(await (await webviewFrame(this.page)).evaluate(findLastEnd));
  }

  /** The last end of a turn, once it is another one than that of `key`. */
  endAfter(key: string): Locator {
    const end = '.row[data-kind="turn-end"]';
    return this.page.locator(`${end}:not([data-key="${key}"], :has(~ ${end}))`);
  }

  /** The texts of the answers in sight, once all of each is drawn: long ones, and those of a slow machine, come in slices. */
  async answerTexts(): Promise<readonly string[]> {
    await this.#drawn();
    return this.answers.allInnerTexts();
  }

  /** Stops the running turn. */
  async stop(): Promise<void> {
    await this.page.getByRole("button", { name: "Stop", exact: true }).click();
  }

  /** Opens another tab with the agent of new tabs, and waits until it can be written to. */
  async newTab(): Promise<void> {
    const before = await this.tabs.count();
    await this.page.getByRole("button", { name: /^New tab with/ }).click();
    await this.tabs.nth(before).waitFor();
    await this.page.locator(`[role=tab][aria-selected=true]:nth-child(${before + 1})`).waitFor();
  }

  /** The kinds of all items of the transcript, of which only those in sight are in the page. */
  async kindsOfItems(): Promise<ReadonlySet<string>> {
    const frame = await webviewFrame(this.page);
    const kinds: unknown = await frame.evaluate(collectKinds);
    return new Set((Array.isArray(kinds) ? kinds : []).map(String));
  }

  async #drawn(): Promise<void> {
    const frame = await webviewFrame(this.page);
    const isDrawn = await until(
      () => frame.evaluate(areAnswersDrawn),
      (is) => is === true,
    );
    if (isDrawn !== true) throw new Error("The answers are never drawn to their end.");
  }

  /** Brings another view of its bar to the front; the page of this one is then destroyed. */
  async hide(): Promise<void> {
    const others = 'a.action-label:is([aria-label^="Explorer"], [aria-label^="Chat"])';
    await this.window.page.locator(`:is(${barSelector}):has(${entrySelector}) ${others}`).click();
    await this.page.locator("body").waitFor({ state: "detached" });
  }

  /** Brings the view back, by the command where the bar is too narrow for its entry. */
  async show(): Promise<void> {
    if (await this.entry.isVisible()) await this.entry.click();
    else await this.window.run("Symposium: Open Chat");
    await this.page.locator("symposium-chat > *").first().waitFor();
  }

  /** Reloads the window, and waits for the page of the view. A browser's window does not always know its layout again. */
  async reload(): Promise<void> {
    await this.window.reload();
    await this.window.run("Symposium: Open Chat");
    // The view may appear before the command has finished. Anything opened in between would lose the focus to the view.
    await until(
      () => this.page.locator("symposium-chat").evaluate("document.hasFocus()"),
      (isFocused) => isFocused === true,
    );
    await this.page.locator("symposium-chat > *").first().waitFor();
  }
}

/** Runs in the page: it scrolls from the start to the end, and looks when a place has been drawn. */
const collectKinds = `(async () => {
  const scroller = document.querySelector(".transcript-scroller");
  const kinds = new Set();
  for (let top = 0; top <= scroller.scrollHeight; top += scroller.clientHeight / 2) {
    scroller.scrollTop = top;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    for (const row of scroller.querySelectorAll(".row")) kinds.add(row.dataset.kind);
  }
  return [...kinds];
})()`;

const findLastEnd = `[...document.querySelectorAll('.row[data-kind="turn-end"]')].at(-1)?.dataset.key ?? ""`;
const areAnswersDrawn = `[...document.querySelectorAll("symposium-markdown")].every(({ isDone }) => isDone)`;

/** Bars that can contain the view: the activity bar, and the head of the secondary side bar. */
const barSelector = ".activitybar, .auxiliarybar > .title";
const entrySelector = '.action-item:has(a.action-label[aria-label^="Symposium"])';
