import { env, Uri, type WebviewView, type WebviewViewProvider } from "vscode";
import { chatPage } from "../chat/chat-page.js";
import type { SettingsPage } from "./settings-page.js";

/** The settings view in the side bar: hands messages to the page and its state to the web view. */
export class SettingsView implements WebviewViewProvider {
  #view: WebviewView | undefined;

  constructor(
    private readonly extensionUri: Uri,
    private readonly page: () => SettingsPage,
  ) {}

  resolveWebviewView(view: WebviewView): void {
    this.#view = view;
    const { webview } = view;
    const folder = Uri.joinPath(this.extensionUri, "dist", "webview");
    webview.options = { enableScripts: true, localResourceRoots: [folder] };
    webview.onDidReceiveMessage((message: unknown) => void this.page().receive(message));
    view.onDidDispose(() => {
      if (this.#view === view) this.#view = undefined;
    });
    webview.html = chatPage({
      cspSource: webview.cspSource,
      scriptUri: webview.asWebviewUri(Uri.joinPath(folder, "settings.js")).toString(),
      styleUri: webview.asWebviewUri(Uri.joinPath(folder, "settings.css")).toString(),
      sessionId: "settings",
      language: env.language,
    });
  }

  /** Sends the state, where the page can be seen. A hidden page asks for it when it comes back. */
  refresh(): void {
    if (this.#view?.visible === true) {
      void this.#view.webview.postMessage({ type: "settings-state", state: this.page().state });
    }
  }
}
