import { env, Uri, ViewColumn, type Webview, type WebviewPanel, window } from "vscode";
import { type ToWebview, webviewReadySchema } from "../../../protocol/index.js";
import type { MessageHub } from "./message-hub.js";
import { chatPage } from "./page-html.js";

/** A page without its web view. Its script and style carry its name, and it takes its state as `NAME-state`. */
interface Page {
  readonly state: object;
  /** A message of the web view, not checked yet. */
  receive(message: unknown): Promise<void>;
  /** Asks anew what the page shows: it has come into sight. */
  refresh?(): Promise<void>;
  /** The page was closed: what it has begun ends. */
  [Symbol.dispose]?(): void;
}

interface PagePanelOptions {
  readonly extensionUri: Uri;
  /** The name of its script and style among the files of the web views. */
  readonly name: string;
  readonly viewType: string;
  readonly title: string;
  readonly page: Page;
}

/** A page in an editor tab, one for each window. */
export class PagePanel implements Disposable {
  #panel: WebviewPanel | undefined;

  constructor(private readonly options: PagePanelOptions) {}

  /** Whether anybody would see a change. */
  get isVisible(): boolean {
    return this.#panel?.visible === true;
  }

  /** Opens the page, or brings it to the front, and asks anew what it shows. */
  async show(): Promise<void> {
    if (this.#panel) this.#panel.reveal();
    else this.#panel = this.#open();
    await this.options.page.refresh?.();
  }

  /** Asks anew what the page shows, where anybody would see a change. */
  refreshIfSeen(): void {
    if (this.isVisible) void this.options.page.refresh?.();
  }

  /** Sends the state where the page can be seen. A hidden page asks for it when it comes back. */
  send(): void {
    const { name, page } = this.options;
    if (this.#panel && this.isVisible) {
      void this.#panel.webview.postMessage({ type: `${name}-state`, state: page.state });
    }
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #open(): WebviewPanel {
    const { extensionUri, name, viewType, title, page } = this.options;
    const panel = window.createWebviewPanel(viewType, title, ViewColumn.Active);
    panel.iconPath = Uri.joinPath(extensionUri, "media", "activity.svg");
    panel.webview.onDidReceiveMessage((message: unknown) => void page.receive(message));
    let wasVisible = panel.visible;
    // It comes also when the page gets or loses the focus.
    panel.onDidChangeViewState(() => {
      if (!wasVisible) this.refreshIfSeen();
      wasVisible = panel.visible;
    });
    panel.onDidDispose(() => {
      this.#panel = undefined;
      page[Symbol.dispose]?.();
    });
    showPage(panel.webview, { extensionUri, name });
    return panel;
  }
}

/** Parts that all chat pages of a window share. */
export interface ChatPageParts {
  readonly extensionUri: Uri;
  /** Differs for each activation. */
  readonly sessionId: string;
  readonly hub: MessageHub;
}

interface ConnectOptions extends ChatPageParts {
  /** The one tab that the page is for. */
  readonly tabId?: string;
  /** The page can take messages; `lastSeen` as in `webview-ready`. */
  readonly ready: (
    post: (message: ToWebview) => PromiseLike<boolean>,
    lastSeen: Readonly<Record<string, number>>,
  ) => void;
}

/** Shows the chat in a web view and passes its page's messages to the hub. */
export function showChatPage(webview: Webview, { extensionUri, sessionId, hub, tabId, ready }: ConnectOptions): void {
  webview.onDidReceiveMessage((message: unknown) => {
    const parsed = webviewReadySchema.safeParse(message);
    if (parsed.success) ready((one) => webview.postMessage(one), parsed.data.lastSeen);
    else void hub.receive(message);
  });
  showPage(webview, { extensionUri, name: "chat", sessionId, ...(tabId === undefined ? {} : { tabId }) });
}

interface ShownPage {
  readonly extensionUri: Uri;
  /** The name of its script and style among the files of the web views. */
  readonly name: string;
  /** As in {@link chatPage}; the page's name by default. */
  readonly sessionId?: string;
  readonly tabId?: string;
}

/** Puts a page of ours into a web view. */
function showPage(webview: Webview, { extensionUri, name, sessionId = name, tabId }: ShownPage): void {
  const folder = Uri.joinPath(extensionUri, "dist", "webview");
  webview.options = { enableScripts: true, localResourceRoots: [folder] };
  webview.html = chatPage({
    cspSource: webview.cspSource,
    scriptUri: webview.asWebviewUri(Uri.joinPath(folder, `${name}.js`)).toString(),
    styleUri: webview.asWebviewUri(Uri.joinPath(folder, `${name}.css`)).toString(),
    sessionId,
    language: env.language,
    ...(tabId === undefined ? {} : { tabId }),
  });
}
