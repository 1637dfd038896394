import { basename } from "node:path";
import { Position, Selection, Uri, window, workspace } from "vscode";
import { PagePanel } from "../pages/page-panel.js";
import type { GuardEditor, GuardPage } from "./guard-page.js";

interface GuardPanelOptions {
  readonly extensionUri: Uri;
  readonly page: GuardPage;
}

/** The page _Guard_ in an editor tab, one for each window. */
export class GuardPanel implements Disposable {
  readonly #panel: PagePanel;

  constructor(private readonly options: GuardPanelOptions) {
    const { extensionUri, page } = options;
    this.#panel = new PagePanel({
      extensionUri,
      page: "guard",
      viewType: "symposium.guard",
      title: "Symposium: Guard",
      receive: (message) => void page.receive(message),
      shown: () => void page.refresh(),
      closed: () => undefined,
    });
  }

  async show(): Promise<void> {
    this.#panel.show();
    await this.options.page.refresh();
  }

  /** Asks again where anybody would see a change. */
  refreshIfSeen(): void {
    if (this.#panel.isVisible) void this.options.page.refresh();
  }

  /** Sends the state, where the page can be seen. */
  send(): void {
    this.#panel.post({ type: "guard-state", state: this.options.page.state });
  }

  [Symbol.dispose](): void {
    this.#panel[Symbol.dispose]();
  }
}

/** The editor behind the page. */
export function vscodeGuardEditor(folder: () => string): GuardEditor {
  return {
    get folder() {
      return folder();
    },
    openFile,
    openRules: async (file) => {
      const uri = Uri.file(file);
      const isThere = await workspace.fs.stat(uri).then(
        () => true,
        () => false,
      );
      if (!isThere) await workspace.fs.writeFile(uri, new TextEncoder().encode('{\n  "rules": []\n}\n'));
      await openFile(file, undefined);
    },
    askForHost: async (host) => {
      const [here, everywhere] = [`In ${basename(folder())}`, "Everywhere"];
      const detail =
        "A rule in your guard.jsonc allows it from now on, for every agent and in every editor. Whatever agents reach, they can send your files to.";
      const answer = await window.showWarningMessage(`Open ${host}?`, { modal: true, detail }, here, everywhere);
      return answer === here ? "folder" : answer === everywhere ? "everywhere" : undefined;
    },
    say: (message) => void window.showWarningMessage(message),
  };
}

async function openFile(file: string, line: number | undefined): Promise<void> {
  const at = new Position((line ?? 1) - 1, 0);
  await window.showTextDocument(Uri.file(file), { selection: new Selection(at, at) });
}
