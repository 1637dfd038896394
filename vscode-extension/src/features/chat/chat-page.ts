import { env, Uri, type Webview } from "vscode";
import { type ToWebview, webviewReadySchema } from "../../../protocol/index.js";
import { chatPage } from "../pages/page-html.js";
import type { MessageHub } from "../pages/message-hub.js";

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
  const folder = Uri.joinPath(extensionUri, "dist", "webview");
  webview.options = { enableScripts: true, localResourceRoots: [folder] };
  webview.onDidReceiveMessage((message: unknown) => {
    const parsed = webviewReadySchema.safeParse(message);
    if (parsed.success) ready((one) => webview.postMessage(one), parsed.data.lastSeen);
    else void hub.receive(message);
  });
  webview.html = chatPage({
    cspSource: webview.cspSource,
    scriptUri: webview.asWebviewUri(Uri.joinPath(folder, "chat.js")).toString(),
    styleUri: webview.asWebviewUri(Uri.joinPath(folder, "chat.css")).toString(),
    sessionId,
    language: env.language,
    ...(tabId === undefined ? {} : { tabId }),
  });
}
