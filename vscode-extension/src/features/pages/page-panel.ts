import { env, l10n, Uri, ViewColumn, type Webview, type WebviewPanel, window } from "vscode";
import { type ToWebview, webviewReadySchema } from "../../../protocol/index.js";
import type { MessageHub } from "./message-hub.js";
import { chatPage } from "./page-html.js";

/** Page without its webview. The page's script and style files are named after the page, and its state message is `NAME-state`. */
interface Page {
  readonly state: object;
  receive(message: unknown): Promise<void>;
  refresh?(): Promise<void>;
  [Symbol.dispose]?(): void;
}

interface PagePanelOptions {
  readonly extensionUri: Uri;
  readonly name: string;
  readonly viewType: string;
  readonly title: string;
  readonly page: Page;
}

export class PagePanel implements Disposable {
  #panel: WebviewPanel | undefined;

  constructor(private readonly options: PagePanelOptions) {}

  get isVisible(): boolean {
    return this.#panel?.visible === true;
  }

  async show(): Promise<void> {
    if (this.#panel) this.#panel.reveal();
    else this.#panel = this.#open();
    await this.options.page.refresh?.();
  }

  refreshIfSeen(): void {
    if (this.isVisible) void this.options.page.refresh?.();
  }

  /** Sends the state to a visible page. A hidden page requests it when shown again. */
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
    // VS Code sends this event also when the page gets or loses the focus.
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

export interface ChatPageParts {
  readonly extensionUri: Uri;
  readonly sessionId: string;
  readonly hub: MessageHub;
}

interface ConnectOptions extends ChatPageParts {
  readonly tabId?: string;
  /** Called when the page can receive messages. `lastSeen` has the same meaning as in `webview-ready`. */
  readonly ready: (
    post: (message: ToWebview) => PromiseLike<boolean>,
    lastSeen: Readonly<Record<string, number>>,
  ) => void;
}

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
  readonly name: string;
  /** Session id of the page, as for {@link chatPage}; default: the page's name. */
  readonly sessionId?: string;
  readonly tabId?: string;
}

function showPage(webview: Webview, { extensionUri, name, sessionId = name, tabId }: ShownPage): void {
  const folder = Uri.joinPath(extensionUri, "dist", "webview");
  webview.options = { enableScripts: true, localResourceRoots: [folder] };
  webview.html = chatPage({
    cspSource: webview.cspSource,
    scriptUri: webview.asWebviewUri(Uri.joinPath(folder, `${name}.js`)).toString(),
    styleUri: webview.asWebviewUri(Uri.joinPath(folder, `${name}.css`)).toString(),
    sessionId,
    language: env.language,
    texts: l10n.bundle,
    ...(tabId === undefined ? {} : { tabId }),
  });
}
