import "../translations.js";
import "@vscode/codicons/dist/codicon.css";
import "../controls/controls.css";
import "./look/page.css";
import "./look/markdown.css";
import "./look/code-colours.css";
import "./look/items.css";
import "./look/tools.css";
import "./look/user.css";
import "./look/changed-files.css";
import "./cards/cards.css";
import "../controls/listbox.css";
import "./composer/composer.css";
import "./tabs/tabs.css";
import * as z from "zod/mini";
import { type ToExtension, type ToWebview, toWebviewSchema } from "../../protocol/index.js";
import { ChatApp } from "./chat-app.js";
import { ChatStore } from "./state/chat-store.js";
import { ViewMemory, type VsCodeApi } from "./state/view-memory.js";

// Compiled validators need eval, which the page's content security policy forbids.
z.config({ jitless: true });

class ChatPage {
  readonly #store = new ChatStore();
  readonly #app = new ChatApp();
  readonly #memory: ViewMemory;
  #isDrawing = false;

  constructor(
    private readonly api: VsCodeApi,
    private readonly document: Document,
  ) {
    const meta = (name: string): string | undefined =>
      document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content;
    this.#memory = new ViewMemory(api, meta("SYMPOSIUM_SESSION_ID") ?? "", meta("SYMPOSIUM_TAB_ID"));
  }

  start(): void {
    this.#store.onChange = () => this.#drawSoon();
    this.#store.onGap = () => this.#announce();
    this.#app.store = this.#store;
    this.#app.memory = this.#memory;
    this.#app.addEventListener("symposium-message", ({ detail }) => this.#send(detail));
    this.document.body.append(this.#app);
    this.document.defaultView?.addEventListener("message", ({ data }: MessageEvent<unknown>) => this.#receive(data));
    // The editor's commands apply to the chat that the user visited last.
    const { tabId } = this.#memory;
    const focused: ToExtension = { type: "page-focused", ...(tabId === undefined ? {} : { tabId }) };
    this.document.defaultView?.addEventListener("focus", () => this.#send(focused));
    // A page that loads with the focus gets no focus event.
    if (this.document.hasFocus()) this.#send(focused);
    this.#announce();
  }

  #announce(): void {
    this.#send({ type: "webview-ready", lastSeen: this.#store.lastSeen() });
  }

  #receive(data: unknown): void {
    const parsed = toWebviewSchema.safeParse(data);
    if (!parsed.success) {
      const text = `The view can't read a message: ${parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ")}`;
      this.#send({ type: "log", level: "warn", text });
      return;
    }
    const message: ToWebview = parsed.data;
    this.#store.receive(message);
    if (message.type === "tabs") this.#memory.keepTabs(message.tabIds);
    this.#app.receive(message);
  }

  #send(message: ToExtension): void {
    if (message.type === "new-tab") {
      this.#app.expect(message.tabId);
      this.#store.open(message.tabId);
    }
    if (message.type === "fork") this.#app.expect(message.newTabId);
    // Send the pending draft first, because the tab's page in the editor starts from the state that the extension has.
    if (message.type === "open-in-editor") this.#app.flush();
    if (message.type === "select-tab") this.#store.select(message.tabId);
    if (message.type === "get-older") {
      const tab = this.#store.tab(message.tabId);
      if (tab) tab.isLoadingOlder = true;
    }
    this.api.postMessage(message);
  }

  #drawSoon(): void {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      this.#app.requestUpdate();
    });
  }
}

new ChatPage(acquireVsCodeApi(), document).start();
