import { env, Uri, ViewColumn, type WebviewPanel, window } from "vscode";
import { chatPage } from "./page-html.js";

interface PagePanelOptions {
  readonly extensionUri: Uri;
  /** The name of its script and style among the files of the web views. */
  readonly page: string;
  readonly viewType: string;
  readonly title: string;
  /** A message of the page, not checked yet. */
  readonly receive: (message: unknown) => void;
  /** It can be seen again. */
  readonly shown?: () => void;
  readonly closed: () => void;
}

/** A page in an editor tab, one for each window. */
export class PagePanel implements Disposable {
  #panel: WebviewPanel | undefined;

  constructor(private readonly options: PagePanelOptions) {}

  get isVisible(): boolean {
    return this.#panel?.visible === true;
  }

  /** Opens the page, or brings it to the front. */
  show(): void {
    if (this.#panel) this.#panel.reveal();
    else this.#panel = this.#open();
  }

  /** Sends a message where the page can be seen. A hidden page asks for its state when it comes back. */
  post(message: object): void {
    if (this.#panel && this.isVisible) void this.#panel.webview.postMessage(message);
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #open(): WebviewPanel {
    const { extensionUri, page, viewType, title, receive, shown, closed } = this.options;
    const folder = Uri.joinPath(extensionUri, "dist", "webview");
    const panel = window.createWebviewPanel(viewType, title, ViewColumn.Active, {
      enableScripts: true,
      localResourceRoots: [folder],
    });
    const { webview } = panel;
    panel.iconPath = Uri.joinPath(extensionUri, "media", "activity.svg");
    webview.onDidReceiveMessage((message: unknown) => receive(message));
    let wasVisible = panel.visible;
    // It comes also when the page gets or loses the focus.
    panel.onDidChangeViewState(() => {
      if (panel.visible && !wasVisible) shown?.();
      wasVisible = panel.visible;
    });
    panel.onDidDispose(() => {
      this.#panel = undefined;
      closed();
    });
    webview.html = chatPage({
      cspSource: webview.cspSource,
      scriptUri: webview.asWebviewUri(Uri.joinPath(folder, `${page}.js`)).toString(),
      styleUri: webview.asWebviewUri(Uri.joinPath(folder, `${page}.css`)).toString(),
      sessionId: page,
      language: env.language,
    });
    return panel;
  }
}
