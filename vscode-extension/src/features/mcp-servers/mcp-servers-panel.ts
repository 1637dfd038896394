import { homedir } from "node:os";
import { join } from "node:path";
import { commands, env, Position, Selection, Uri, window, workspace } from "vscode";
import { vscodeApprovalDialog } from "../agents/vscode-approval-dialog.js";
import { editorToolsServer } from "../editor-tools/editor-tools.js";
import { PagePanel } from "../pages/page-panel.js";
import type { McpServersEditor, McpServersPage } from "./mcp-servers-page.js";

interface McpServersPanelOptions {
  readonly extensionUri: Uri;
  readonly page: McpServersPage;
}

/** The page of MCP servers in an editor tab, one for each window. */
export class McpServersPanel implements Disposable {
  readonly #panel: PagePanel;

  constructor(private readonly options: McpServersPanelOptions) {
    const { extensionUri, page } = options;
    this.#panel = new PagePanel({
      extensionUri,
      page: "mcp-servers",
      viewType: "symposium.mcpServers",
      title: "Symposium: MCP Servers",
      receive: (message) => void page.receive(message),
      shown: () => void page.refresh(),
      closed: () => page[Symbol.dispose](),
    });
  }

  async show(): Promise<void> {
    this.#panel.show();
    await this.options.page.refresh();
  }

  /** Whether anybody would see a change. */
  get isVisible(): boolean {
    return this.#panel.isVisible;
  }

  /** Sends the state, where the page can be seen. */
  send(): void {
    this.#panel.post({ type: "mcp-servers-state", state: this.options.page.state });
  }

  [Symbol.dispose](): void {
    this.#panel[Symbol.dispose]();
  }
}

/** The editor behind the page. */
export function vscodeMcpServersEditor(
  folder: () => string,
  servers: () => Promise<Readonly<Record<string, unknown>>>,
): McpServersEditor {
  return {
    get folder() {
      return folder();
    },
    home: homedir(),
    environment: async () => serversEnvironment(await servers()),
    openUrl: async (url) => env.openExternal(Uri.parse(url, true)),
    openFile,
    openSetting: async (server) => {
      const setting = server === editorToolsServer ? "symposium.editorTools" : "symposium.mcpServers";
      await commands.executeCommand("workbench.action.openSettings", setting);
    },
    openConfig: async () => {
      const file = Uri.file(join(process.env["SYMPOSIUM_CONFIG_DIR"] ?? join(homedir(), ".symposium"), "config.jsonc"));
      const isThere = await workspace.fs.stat(file).then(
        () => true,
        () => false,
      );
      if (!isThere) await workspace.fs.writeFile(file, new TextEncoder().encode('{\n  "mcpServers": {}\n}\n'));
      await openFile(file.fsPath, undefined);
    },
    askForServer,
    ...vscodeApprovalDialog,
  };
}

/** What has a subcommand know the servers that agents get from the editor, which are in no file that it reads. */
export function serversEnvironment(servers: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.keys(servers).length === 0 ? {} : { SYMPOSIUM_MCP_SERVERS: JSON.stringify(servers) };
}

async function openFile(file: string, line: number | undefined): Promise<void> {
  const at = new Position((line ?? 1) - 1, 0);
  await window.showTextDocument(Uri.file(file), { selection: new Selection(at, at) });
}

async function askForServer(): Promise<readonly string[] | undefined> {
  const name = await window.showInputBox({
    title: "Add an MCP Server (1/2)",
    prompt: "Its name, as agents see it.",
    validateInput: (text) => (text.trim() === "" ? "A name is needed." : undefined),
  });
  if (name === undefined) return undefined;
  const start = await window.showInputBox({
    title: "Add an MCP Server (2/2)",
    prompt: "Its command, such as npx -y some-server, or its address.",
    validateInput: (text) => (wordsOf(text) === undefined ? "A command or an address is needed." : undefined),
  });
  const words = start === undefined ? undefined : wordsOf(start);
  return words && [name.trim(), ...words];
}

/** The words of `mcp add` after the name. */
function wordsOf(text: string): readonly string[] | undefined {
  const start = text.trim();
  if (/^https?:\/\/\S+$/i.test(start)) return ["--url", start];
  if (start === "" || /^\w+:\/\//.test(start)) return undefined;
  const words = start.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  return ["--", ...words.map((word) => word.replace(/^(["'])(.*)\1$/, "$2"))];
}
