import { build } from "esbuild";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "playwright-core";
import type { ToExtension } from "../../../protocol/index.js";
import type { FromGuard } from "../../../protocol/guard.js";
import type { FromMcpServers } from "../../../protocol/mcp-servers.js";
import type { FromSetUp } from "../../../protocol/set-up.js";
import type { FromSettingsView } from "../../../protocol/settings.js";
import { sharedChromium } from "../chromium.js";
import { violationsIn } from "../violations.js";

const extension = fileURLToPath(new URL("../../../..", import.meta.url));
// Nothing is asked for on the network: an address of its own makes the page a secure one, as it is in VS Code.
const address = "https://webview.invalid/";

type ThemeName = "dark" | "light" | "high-contrast" | "high-contrast-light";
type Themes = Readonly<Record<ThemeName, { class: string; variables: Readonly<Record<string, string>> }>>;

/** Elements of the webview in a page of their own, with the styles and variables VS Code gives to webviews. */
export class ElementPage implements AsyncDisposable {
  private constructor(
    readonly page: Page,
    private readonly themes: Themes,
  ) {}

  /**
   * Opens a page with what the modules of `entries`, paths below `webview/`, define. `isWhole`: what is mounted is all
   * of the page; otherwise it stands among the landmark and headings of a chat page. Called in a `before` hook, whose `this` is `context`; the page closes after the suite.
   */
  static async open(context: Mocha.Context, entries: readonly string[], isWhole = false): Promise<ElementPage> {
    const [script, styles] = await bundle(entries);
    const themes = JSON.parse(await readFile(join(extension, "test/fixtures/themes.json"), "utf8")) as Themes;
    const browser = await sharedChromium(context);
    const page = await browser.newPage({ viewport: { width: 380, height: 640 } });
    page.setDefaultTimeout(20_000);
    const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Symposium</title><style>${base}${styles}</style></head><body>${isWhole ? root : `<main>${headings}${root}</main>`}</body></html>`;
    await page.route(`${address}**`, (route) => route.fulfill({ contentType: "text/html", body: html }));
    await page.addInitScript(record);
    await page.goto(address);
    await page.addScriptTag({ content: script, type: "module" });
    const opened = new ElementPage(page, themes);
    context.test?.parent?.afterAll(() => opened[Symbol.asyncDispose]());
    await opened.useTheme("dark");
    return opened;
  }

  /** Replaces what the page shows by one element, and forgets the messages so far. */
  async mount(tag: string, properties: Readonly<Record<string, unknown>>): Promise<Locator> {
    await this.page.evaluate(
      ({ tag, properties }) => {
        messages.length = 0;
        asked.length = 0;
        const element = Object.assign(document.createElement(tag), properties);
        document.getElementById("root")?.replaceChildren(element);
      },
      { tag, properties },
    );
    return this.page.locator(tag);
  }

  /** Sets properties of the element that is mounted. */
  async set(properties: Readonly<Record<string, unknown>>): Promise<void> {
    await this.page.evaluate(async (properties) => {
      const element = document.querySelector("#root > *");
      Object.assign(element ?? {}, properties);
      await Reflect.get(element ?? {}, "updateComplete");
    }, properties);
  }

  /** Calls a method of the element that is mounted. */
  async call(method: string, ...args: readonly unknown[]): Promise<void> {
    await this.page.evaluate(
      ({ method, args }) => {
        const element = document.querySelector("#root > *");
        const run: unknown = Reflect.get(element ?? {}, method);
        if (typeof run !== "function") throw new Error(`There is no method "${method}".`);
        Reflect.apply(run, element, args);
      },
      { method, args },
    );
  }

  /** What the element has sent to the extension since it was mounted; drafts are left out, they come when they come. */
  async sent(): Promise<ToExtension[]> {
    return (await this.sentAll()).filter(({ type }) => type !== "draft");
  }

  async sentAll(): Promise<ToExtension[]> {
    return this.page.evaluate(() => messages);
  }

  /** Requests of a page's element, such as the settings page's, since it was mounted. */
  async asked(): Promise<Asked[]> {
    return this.page.evaluate(() => asked);
  }

  /** Waits until a message of this type was sent and returns the first. */
  async waitFor<Type extends ToExtension["type"]>(type: Type): Promise<Extract<ToExtension, { type: Type }>> {
    await this.page.waitForFunction((type) => messages.some((message) => message.type === type), type);
    const message = (await this.sentAll()).find((one) => one.type === type);
    return message as Extract<ToExtension, { type: Type }>;
  }

  async useTheme(name: ThemeName): Promise<void> {
    await this.page.evaluate(({ class: look, variables }) => {
      document.body.className = look;
      document.documentElement.removeAttribute("style");
      for (const [key, value] of Object.entries(variables)) document.documentElement.style.setProperty(key, value);
    }, this.themes[name]);
  }

  /** The violations that axe-core finds. */
  violations(): ReturnType<typeof violationsIn> {
    return violationsIn(this.page);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.close();
  }
}

type Asked = FromSettingsView | FromSetUp | FromGuard | FromMcpServers;

declare global {
  /** What the elements of the page have sent. */
  var messages: ToExtension[];
  /** What the elements of pages in editor tabs have asked for. */
  var asked: Asked[];
}

function record(): void {
  globalThis.messages = [];
  globalThis.asked = [];
  document.addEventListener("symposium-ask", (event) => {
    if (event instanceof CustomEvent) asked.push(structuredClone(event.detail as Asked));
  });
  document.addEventListener("symposium-message", (event) => {
    if (event instanceof CustomEvent) messages.push(structuredClone(event.detail as ToExtension));
  });
}

const root = `<div id="root"></div>`;
const headings = `<h1 class="control-hidden">Symposium</h1><h2 class="control-hidden">Turn</h2>`;
const base = `
  body { margin: 0; background: var(--vscode-sideBar-background); color: var(--vscode-foreground);
    font-family: "DejaVu Sans", sans-serif; font-size: 13px; }
  main:has(#root) { display: flex; flex-direction: column; justify-content: flex-end; height: 100vh; }
  #root { display: contents; }`;

async function bundle(entries: readonly string[]): Promise<[script: string, styles: string]> {
  const contents = ["@vscode/codicons/dist/codicon.css", ...entries.map((entry) => `./${entry}`)]
    .map((path) => `import ${JSON.stringify(path)};`)
    .join("\n");
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(extension, "webview"), loader: "ts" },
    bundle: true,
    write: false,
    outdir: "out",
    format: "esm",
    platform: "browser",
    tsconfigRaw: {},
    conditions: ["production"],
    loader: { ".ttf": "dataurl" },
    logLevel: "warning",
  });
  const find = (suffix: string): string => outputFiles.find(({ path }) => path.endsWith(suffix))?.text ?? "";
  return [find(".js"), find(".css")];
}
