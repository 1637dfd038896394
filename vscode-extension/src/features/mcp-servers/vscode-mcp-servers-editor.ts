import * as l10n from "@vscode/l10n";
import { homedir } from "node:os";
import { join } from "node:path";
import { commands, env, Uri, window } from "vscode";
import { vscodeApprovalDialog } from "../agents/vscode-approval-dialog.js";
import { editorToolsServer } from "../editor-tools/editor-tools.js";
import { openFile, openOrMake } from "../pages/open-file.js";
import type { McpServersEditor } from "./mcp-servers-page.js";

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
    openConfig: () => {
      const folder = process.env["SYMPOSIUM_CONFIG_DIR"] ?? join(homedir(), ".symposium");
      return openOrMake(join(folder, "config.jsonc"), '{\n  "mcpServers": {}\n}\n');
    },
    askForServer,
    ...vscodeApprovalDialog,
  };
}

/** Returns environment variables that pass the editor's servers to a subcommand, because no file lists these servers. */
export function serversEnvironment(servers: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.keys(servers).length === 0 ? {} : { SYMPOSIUM_MCP_SERVERS: JSON.stringify(servers) };
}

async function askForServer(): Promise<readonly string[] | undefined> {
  const name = await window.showInputBox({
    title: l10n.t("Add an MCP Server (1/2)"),
    prompt: l10n.t("Name, as agents see it."),
    validateInput: (text) => (text.trim() === "" ? l10n.t("Enter a name.") : undefined),
  });
  if (name === undefined) return undefined;
  const start = await window.showInputBox({
    title: l10n.t("Add an MCP Server (2/2)"),
    prompt: l10n.t("Command, such as npx -y some-server, or URL."),
    validateInput: (text) => (wordsOf(text) === undefined ? l10n.t("Enter a command or a URL.") : undefined),
  });
  const words = start === undefined ? undefined : wordsOf(start);
  return words && [name.trim(), ...words];
}

function wordsOf(text: string): readonly string[] | undefined {
  const start = text.trim();
  if (/^https?:\/\/\S+$/i.test(start)) return ["--url", start];
  if (start === "" || /^\w+:\/\//.test(start)) return undefined;
  const words = start.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
  return ["--", ...words.map((word) => word.replace(/^(["'])(.*)\1$/, "$2"))];
}
