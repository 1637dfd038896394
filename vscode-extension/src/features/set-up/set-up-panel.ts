import { commands, env, Uri, ViewColumn, type WebviewPanel, window, workspace } from "vscode";
import { chatPage } from "../pages/page-html.js";
import type { Remedy } from "./remedy.js";
import type { SetUpPage } from "./set-up-page.js";

interface SetUpPanelOptions {
  readonly extensionUri: Uri;
  readonly page: SetUpPage;
}

/** The set-up page in an editor tab, one for each window. */
export class SetUpPanel implements Disposable {
  #panel: WebviewPanel | undefined;

  constructor(private readonly options: SetUpPanelOptions) {}

  /** Shows the page, and checks anew: everything and an agent, the current one where none is named. */
  async show(agentId: string | undefined): Promise<void> {
    if (this.#panel) this.#panel.reveal();
    else this.#panel = this.#open();
    await this.options.page.check(agentId);
  }

  /** Sends the state, where the page can be seen. A hidden page asks for it when it comes back. */
  refresh(): void {
    if (this.#panel?.visible !== true) return;
    void this.#panel.webview.postMessage({ type: "set-up-state", state: this.options.page.state });
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  #open(): WebviewPanel {
    const { extensionUri, page } = this.options;
    const folder = Uri.joinPath(extensionUri, "dist", "webview");
    const panel = window.createWebviewPanel("symposium.setUp", "Symposium: Set-up", ViewColumn.Active, {
      enableScripts: true,
      localResourceRoots: [folder],
    });
    const { webview } = panel;
    panel.iconPath = Uri.joinPath(extensionUri, "media", "activity.svg");
    webview.onDidReceiveMessage((message: unknown) => void page.receive(message));
    panel.onDidDispose(() => {
      this.#panel = undefined;
      page[Symbol.dispose]();
    });
    webview.html = chatPage({
      cspSource: webview.cspSource,
      scriptUri: webview.asWebviewUri(Uri.joinPath(folder, "set-up.js")).toString(),
      styleUri: webview.asWebviewUri(Uri.joinPath(folder, "set-up.css")).toString(),
      sessionId: "set-up",
      language: env.language,
    });
    return panel;
  }
}

/** What the buttons do that need nothing of ours but a command of the editor. */
export async function applyInEditor(remedy: Remedy): Promise<void> {
  switch (remedy.kind) {
    case "manage-trust":
      await commands.executeCommand("workbench.trust.manage");
      return;
    case "open-folder":
      await commands.executeCommand("workbench.action.files.openFolder");
      return;
    case "open-setting":
      await commands.executeCommand("workbench.action.openSettings", remedy.setting);
      return;
    case "open-website":
      await env.openExternal(Uri.parse(remedy.address, true));
      return;
    case "show-log":
      await commands.executeCommand("symposium.showLog");
      return;
    case "choose-agent":
      await commands.executeCommand("symposium.selectAgent");
      return;
    case "sign-in":
      await commands.executeCommand("symposium.newTab", remedy.agentId);
      return;
    case "update":
      await commands.executeCommand("symposium.checkForUpdates");
      return;
    case "check-again":
    case "install-agent":
      return;
  }
}

/** The first folder of the disk that is open. */
export function openFolder(): string | undefined {
  return workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file")?.uri.fsPath;
}
