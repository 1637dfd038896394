import type { Uri, Webview } from "vscode";
import { type ToWebview, webviewReadySchema } from "../../../protocol/index.js";
import type { MessageHub } from "../pages/message-hub.js";
import { showPage } from "../pages/page-panel.js";

/** What every page of the chat in a window is made of. */
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

/** Shows the chat in a web view, and hands on what its page says. */
export function showChatPage(webview: Webview, { extensionUri, sessionId, hub, tabId, ready }: ConnectOptions): void {
  webview.onDidReceiveMessage((message: unknown) => {
    const parsed = webviewReadySchema.safeParse(message);
    if (parsed.success) ready((one) => webview.postMessage(one), parsed.data.lastSeen);
    else void hub.receive(message);
  });
  showPage(webview, { extensionUri, name: "chat", sessionId, ...(tabId === undefined ? {} : { tabId }) });
}
