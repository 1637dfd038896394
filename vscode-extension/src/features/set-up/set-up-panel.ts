import { commands, env, Uri, workspace } from "vscode";
import { PagePanel } from "../pages/page-panel.js";
import type { Remedy } from "./remedy.js";
import type { SetUpPage } from "./set-up-page.js";

interface SetUpPanelOptions {
  readonly extensionUri: Uri;
  readonly page: SetUpPage;
}

/** The set-up page in an editor tab, one for each window. */
export class SetUpPanel implements Disposable {
  readonly #panel: PagePanel;

  constructor(private readonly options: SetUpPanelOptions) {
    const { extensionUri, page } = options;
    this.#panel = new PagePanel({
      extensionUri,
      page: "set-up",
      viewType: "symposium.setUp",
      title: "Symposium: Set-up",
      receive: (message) => void page.receive(message),
      closed: () => page[Symbol.dispose](),
    });
  }

  /** Shows the page, and checks anew: everything and an agent, the current one where none is named. */
  async show(agentId: string | undefined): Promise<void> {
    this.#panel.show();
    await this.options.page.check(agentId);
  }

  /** Sends the state, where the page can be seen. A hidden page asks for it when it comes back. */
  refresh(): void {
    this.#panel.post({ type: "set-up-state", state: this.options.page.state });
  }

  dispose(): void {
    this.#panel.dispose();
  }

  [Symbol.dispose](): void {
    this.dispose();
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
    case "allow-project":
    case "check-again":
    case "install-agent":
      return;
  }
}

/** The first folder of the disk that is open. */
export function openFolder(): string | undefined {
  return workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file")?.uri.fsPath;
}
