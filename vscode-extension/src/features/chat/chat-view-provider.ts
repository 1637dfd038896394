import type { CancellationToken, ViewBadge, WebviewView, WebviewViewProvider, WebviewViewResolveContext } from "vscode";
import { type ChatPageParts, showChatPage } from "../pages/page-panel.js";
import type { ViewFeed } from "./view-feed.js";

interface ChatViewOptions extends ChatPageParts {
  readonly feed: ViewFeed;
  visibilityChanged(isVisible: boolean): void;
}

export class ChatViewProvider implements WebviewViewProvider {
  #view: WebviewView | undefined;

  constructor(private readonly options: ChatViewOptions) {}

  get isVisible(): boolean {
    return this.#view?.visible ?? false;
  }

  resolveWebviewView(view: WebviewView, _context: WebviewViewResolveContext, _token: CancellationToken): void {
    const { feed } = this.options;
    this.#view = view;
    view.onDidChangeVisibility(() => {
      // VS Code destroys a hidden page. The page that replaces it sends a new ready message.
      if (!view.visible) feed.pageGone();
      this.options.visibilityChanged(view.visible);
    });
    view.onDidDispose(() => {
      if (this.#view !== view) return;
      this.#view = undefined;
      feed.pageGone();
      this.options.visibilityChanged(false);
    });
    showChatPage(view.webview, {
      ...this.options,
      ready: (post, lastSeen) => {
        if (this.#view === view) feed.pageReady(post, lastSeen);
      },
    });
    this.options.visibilityChanged(view.visible);
  }

  setBadge(badge: ViewBadge | undefined): void {
    if (this.#view) this.#view.badge = badge;
  }
}
