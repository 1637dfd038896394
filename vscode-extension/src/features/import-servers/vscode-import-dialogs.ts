import { type QuickPickItem, QuickPickItemKind, window } from "vscode";
import { type FoundServer, scopeHeadings, serverLine } from "./found-servers.js";
import type { ImportDialogs } from "./import-servers.js";

interface ServerItem extends QuickPickItem {
  readonly server?: FoundServer;
}

interface SecretItem extends QuickPickItem {
  readonly moves: boolean;
}

const scopes = ["user", "folder", "project"] as const;

export const vscodeImportDialogs: ImportDialogs = {
  async choose(servers) {
    const items = scopes.flatMap((scope): ServerItem[] => {
      const ofScope = servers.filter((server) => server.scope === scope);
      if (ofScope.length === 0) return [];
      return [
        { label: scopeHeadings[scope], kind: QuickPickItemKind.Separator },
        ...ofScope.map((server) => ({ ...serverLine(server), server, picked: scope === "user" })),
      ];
    });
    const chosen = await window.showQuickPick(items, {
      title: "Import MCP Servers for Every Agent",
      placeHolder: "Tick those that agents are to get. Nothing is started now, and no file of others changes.",
      canPickMany: true,
      matchOnDescription: true,
      matchOnDetail: true,
      ignoreFocusOut: true,
    });
    return chosen?.flatMap(({ server }) => server ?? []);
  },
  async confirms(text, count) {
    const [question, button] =
      count === 1
        ? ["This MCP server is longer than the list can show. Take it as it is here?", "Take It"]
        : [`${count} MCP servers are longer than the list can show. Take them as they are here?`, "Take Them"];
    return (await window.showWarningMessage(question, { modal: true, detail: text }, button)) !== undefined;
  },
  async movesSecrets(count) {
    const [secrets, them, names] =
      count === 1 ? ["A secret stands", "it", "its name"] : [`${count} secrets stand`, "them", "their names"];
    const items: SecretItem[] = [
      {
        label: "$(key) Keep in the secret store",
        detail: `config.jsonc gets ${names} alone, such as \${secret:NAME}.`,
        moves: true,
      },
      { label: "$(file) Leave in plain text", detail: `config.jsonc gets ${them} in plain text, too.`, moves: false },
    ];
    const chosen = await window.showQuickPick(items, {
      title: "Import MCP Servers for Every Agent",
      placeHolder: `${secrets} in plain text in these files. What is to become of ${them}?`,
      ignoreFocusOut: true,
    });
    return chosen?.moves;
  },
  tell: (text) => void window.showInformationMessage(text),
  warn: (text) => void window.showWarningMessage(text),
};
