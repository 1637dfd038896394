import {
  type CancellationToken,
  env,
  Uri,
  type WebviewView,
  type WebviewViewProvider,
  type WebviewViewResolveContext,
} from "vscode";
import { webviewReadySchema } from "../../../protocol/index.js";
import { chatPage } from "../pages/page-html.js";
import type { MessageHub } from "../pages/message-hub.js";
import type { ViewFeed } from "./view-feed.js";

interface ChatViewOptions {
  readonly extensionUri: Uri;
  readonly sessionId: string;
  readonly hub: MessageHub;
  readonly feed: ViewFeed;
  /** Requests that wait for the user in all tabs. */
  waiting(): number;
  /** The view has come into sight or gone out of it. */
  visibilityChanged(isVisible: boolean): void;
}

/** The chat view in the side bar: its page, whether that can take messages, and its badge. */
export class ChatViewProvider implements WebviewViewProvider {
  #view: WebviewView | undefined;

  constructor(private readonly options: ChatViewOptions) {}

  get isVisible(): boolean {
    return this.#view?.visible ?? false;
  }

  resolveWebviewView(view: WebviewView, _context: WebviewViewResolveContext, _token: CancellationToken): void {
    const { extensionUri, sessionId, hub, feed } = this.options;
    const { webview } = view;
    const folder = Uri.joinPath(extensionUri, "dist", "webview");
    this.#view = view;
    webview.options = { enableScripts: true, localResourceRoots: [folder] };
    webview.onDidReceiveMessage((message: unknown) => {
      const ready = webviewReadySchema.safeParse(message);
      if (ready.success && this.#view === view) feed.pageReady((one) => webview.postMessage(one), ready.data.lastSeen);
      else void hub.receive(message);
    });
    view.onDidChangeVisibility(() => {
      // A hidden page is destroyed; the next one says that it is ready.
      if (!view.visible) feed.pageGone();
      this.options.visibilityChanged(view.visible);
    });
    view.onDidDispose(() => {
      if (this.#view !== view) return;
      this.#view = undefined;
      feed.pageGone();
      this.options.visibilityChanged(false);
    });
    webview.html = chatPage({
      cspSource: webview.cspSource,
      scriptUri: webview.asWebviewUri(Uri.joinPath(folder, "chat.js")).toString(),
      styleUri: webview.asWebviewUri(Uri.joinPath(folder, "chat.css")).toString(),
      sessionId,
      language: env.language,
    });
    this.updateBadge();
    this.options.visibilityChanged(view.visible);
  }

  /** Shows how many requests wait for the user. */
  updateBadge(): void {
    if (!this.#view) return;
    const value = this.options.waiting();
    const tooltip = value === 1 ? "1 request waits for you" : `${value} requests wait for you`;
    this.#view.badge = value === 0 ? undefined : { value, tooltip };
  }

  /** Brings the view into sight; `preserveFocus` leaves the cursor where it is. */
  show(preserveFocus: boolean): void {
    this.#view?.show(preserveFocus);
  }
}
