import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import type { Item } from "../../../protocol/index.js";
import { sharedChromium } from "../chromium.js";
import { ChatPage } from "./chat-page.js";
import { opened } from "./samples.js";

const extension = fileURLToPath(new URL("../../../../", import.meta.url));

type ThemeName = "dark" | "light" | "high-contrast" | "high-contrast-light";
type Themes = Readonly<
  Record<string, { readonly class: string; readonly variables: Readonly<Record<string, string>> }>
>;

interface PageOptions {
  readonly theme?: ThemeName;
  readonly width?: number;
  readonly height?: number;
  /** State that the page saved earlier. */
  readonly state?: unknown;
  readonly direction?: "rtl";
  /** JSON object of translations by English text. */
  readonly texts?: string;
}

/** The chat page as it is released, in Chromium. */
class ChatPages implements AsyncDisposable {
  #opened: ChatPage[] = [];

  private constructor(
    private readonly browser: Browser,
    private readonly server: Server,
    /** The bundled files by name. */
    readonly files: ReadonlyMap<string, Uint8Array>,
    /** Translations in the next page. */
    private readonly translations: { texts: string },
  ) {}

  /** Called in a `before` hook, whose `this` is `context`. */
  static async start(context: Mocha.Context): Promise<ChatPages> {
    const browser = await sharedChromium(context);
    const files = await (bundled ??= readBundle());
    const themes = JSON.parse(await readFile(join(extension, "test/fixtures/themes.json"), "utf8")) as Themes;
    const translations = { texts: "{}" };
    const server = createServer((request, response) => {
      const url = new URL(request.url ?? "/", "http://127.0.0.1");
      const file = files.get(url.pathname.slice(1));
      if (url.pathname === "/") {
        response.setHeader("Content-Security-Policy", policy);
        response.setHeader("Content-Type", "text/html; charset=utf-8");
        response.end(documentFor(url.searchParams, themes, translations.texts));
      } else if (file === undefined) response.writeHead(404).end();
      else {
        const type = url.pathname.endsWith(".js")
          ? "text/javascript"
          : url.pathname.endsWith(".css")
            ? "text/css"
            : "font/ttf";
        response.setHeader("Content-Type", type);
        response.end(file);
      }
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new ChatPages(browser, server, files, translations);
  }

  /** Opens the page, which has said that it is ready when this returns. */
  async open({
    theme = "dark",
    width = 400,
    height = 700,
    state,
    direction,
    texts = "{}",
  }: PageOptions = {}): Promise<ChatPage> {
    const page = await this.browser.newPage({ viewport: { width, height } });
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
    });
    await page.addInitScript((saved) => {
      globalThis.stub = { sent: [], state: saved };
      Object.assign(globalThis, {
        acquireVsCodeApi: () => ({
          postMessage: (message: unknown) => globalThis.stub.sent.push(structuredClone(message)),
          getState: () => globalThis.stub.state,
          setState: (next: unknown) => (globalThis.stub.state = structuredClone(next)),
        }),
      });
    }, state);
    this.translations.texts = texts;
    const { port } = this.server.address() as AddressInfo;
    await page.goto(`http://127.0.0.1:${port}/?theme=${theme}&dir=${direction ?? "ltr"}`);
    await page.waitForFunction(() => globalThis.stub.sent.length > 0);
    const chat = new ChatPage(page, problems);
    this.#opened.push(chat);
    return chat;
  }

  /** Opens the page, and one tab with these items in it. */
  async show(
    items: readonly Item[],
    tab: Parameters<typeof opened>[1] = {},
    options: PageOptions = {},
  ): Promise<ChatPage> {
    const chat = await this.open(options);
    await chat.tell(...opened(items, tab));
    return chat;
  }

  /** Closes what was opened, and returns what its console said. */
  async closeAll(): Promise<string[]> {
    const all = this.#opened;
    this.#opened = [];
    for (const chat of all) await chat.close();
    return all.flatMap(({ problems }) => problems);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.closeAll();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

let bundled: Promise<ReadonlyMap<string, Uint8Array>> | undefined;

/**
 * The chat page for the tests of the enclosing suite. A test in which a page reports an error or a warning fails; its
 * pages are closed after it.
 */
export function useChatPages(): Pick<ChatPages, "open" | "show" | "files"> {
  let pages: ChatPages | undefined;
  const started = (): ChatPages => pages ?? assert.fail("The chat page is there only while tests run.");
  before(async function () {
    pages = await ChatPages.start(this);
  });
  afterEach(async () => assert.deepEqual(await started().closeAll(), []));
  after(() => pages?.[Symbol.asyncDispose]());
  return {
    open: (options) => started().open(options),
    show: (...opening) => started().show(...opening),
    get files() {
      return started().files;
    },
  };
}

const policy = [
  "default-src 'none'",
  "script-src 'nonce-test'",
  "style-src 'self' 'nonce-test'",
  "font-src 'self'",
  "img-src 'self' data: blob:",
  "media-src data: blob:",
].join("; ");

function documentFor(query: URLSearchParams, themes: Themes, texts: string): string {
  const theme = themes[query.get("theme") ?? "dark"];
  const variables = Object.entries(theme?.variables ?? {}).map(([name, value]) => `${name}: ${value};`);
  // Text is as wide on every machine that has these fonts.
  const fonts = `--vscode-font-family: "DejaVu Sans", sans-serif; --vscode-editor-font-family: "DejaVu Sans Mono", monospace;`;
  const css = `:root { ${variables.join(" ")} ${fonts} } body { background: var(--vscode-sideBar-background); }`;
  return `<!doctype html><html lang="en" dir="${query.get("dir") ?? "ltr"}"><head><meta charset="utf-8">
    <title>Symposium</title><link rel="icon" href="data:,"><meta name="SYMPOSIUM_SESSION_ID" content="window-1">
    <meta name="SYMPOSIUM_TEXTS" content="${texts.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}">
    <style nonce="test">${css}</style><link rel="stylesheet" href="chat.css"></head>
    <body class="${theme?.class ?? ""}"><script type="module" nonce="test" src="chat.js"></script></body></html>`;
}

/** Reads the pages that `scripts/bundle-extension.mjs` made. */
async function readBundle(): Promise<ReadonlyMap<string, Uint8Array>> {
  const folder = join(extension, "dist/webview");
  const names = await readdir(folder).catch(() => assert.fail("Make the pages: node scripts/bundle-extension.mjs"));
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const)));
}
