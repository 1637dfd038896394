import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { ToExtension, ToWebview } from "../../../protocol/index.js";

/** Stub of VS Code's API inside the page, as far as tests read it. */
interface Stub {
  readonly sent: unknown[];
  state: unknown;
}

declare global {
  var stub: Stub;
}

/** A row of the conversation and the top of it in the window, in pixels. */
interface RowPlace {
  readonly key: string | undefined;
  readonly top: number;
}

/** One open chat page, without VS Code: tests play the extension. */
export class ChatPage {
  constructor(
    readonly page: Page,
    /** Errors and warnings of its console. */
    readonly problems: readonly string[],
  ) {}

  /** Sends messages as the extension would, and waits until they are drawn. */
  async tell(...messages: ToWebview[]): Promise<void> {
    await this.page.evaluate(async (all) => {
      for (const message of all) window.postMessage(message, "*");
      await new Promise((resolve) => setTimeout(resolve));
    }, messages);
    await this.drawn();
  }

  /** Waits until all text is shown, and then three frames: what came is drawn, measured and in its place. */
  async drawn(): Promise<void> {
    const frames = (): Promise<void> =>
      this.page.evaluate(async () => {
        for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
      });
    await frames();
    await this.page.waitForFunction(() =>
      [...document.querySelectorAll("symposium-markdown")].every((text) => Reflect.get(text, "isDone") === true),
    );
    await frames();
  }

  /** Returns the messages of one type that the page has sent. */
  async sent<Type extends ToExtension["type"]>(type: Type): Promise<Extract<ToExtension, { type: Type }>[]> {
    const all = await this.page.evaluate(() => globalThis.stub.sent);
    return all.filter((message): message is Extract<ToExtension, { type: Type }> => isOfType(message, type));
  }

  state(): Promise<unknown> {
    return this.page.evaluate(() => globalThis.stub.state);
  }

  /** How far the conversation is from its end, in pixels. */
  fromEnd(): Promise<number> {
    return this.page
      .locator(".transcript-scroller")
      .evaluate((view) => Math.round(view.scrollHeight - view.scrollTop - view.clientHeight));
  }

  async scrollBy(pixels: number): Promise<void> {
    await this.page.locator(".transcript-scroller").evaluate((view, by) => view.scrollBy(0, by), pixels);
    await this.drawn();
  }

  /** The rows in view, and where they stand. */
  inView(): Promise<RowPlace[]> {
    return this.page.locator(".transcript-scroller").evaluate((view) => {
      const { top, bottom } = view.getBoundingClientRect();
      return [...view.querySelectorAll<HTMLElement>(".row")]
        .map((row) => ({ key: row.dataset["key"], place: row.getBoundingClientRect() }))
        .filter(({ place }) => place.bottom > top + 1 && place.top < bottom - 1)
        .map(({ key, place }) => ({ key, top: place.top }));
    });
  }

  /** Fails unless the rows in view are those of `before`, where they were but for the part of a pixel that scrolling cannot do. */
  async assertInView(before: readonly RowPlace[]): Promise<void> {
    const now = await this.inView();
    const isSame = now.every(({ key, top }, at) => {
      const old = before[at];
      return old !== undefined && old.key === key && Math.abs(old.top - top) < 1;
    });
    if (!isSame || now.length !== before.length) assert.deepEqual(now, before);
  }

  close(): Promise<void> {
    return this.page.close();
  }
}

function isOfType(message: unknown, type: string): boolean {
  return typeof message === "object" && message !== null && "type" in message && message.type === type;
}
