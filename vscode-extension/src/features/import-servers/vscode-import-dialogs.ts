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
      placeHolder: "Select servers for your agents. Nothing starts now, and the other products' files don't change.",
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
        ? ["This MCP server is too long to show in the list. Import it as shown here?", "Import It"]
        : [`${count} MCP servers are too long to show in the list. Import them as shown here?`, "Import Them"];
    return (await window.showWarningMessage(question, { modal: true, detail: text }, button)) !== undefined;
  },
  async movesSecrets(count) {
    const [secrets, them, names] =
      count === 1 ? ["A secret is", "it", "its name"] : [`${count} secrets are`, "them", "their names"];
    const items: SecretItem[] = [
      {
        label: "$(key) Store in the secret store",
        detail: `config.jsonc gets only ${names}, such as \${secret:NAME}.`,
        moves: true,
      },
      { label: "$(file) Leave in plain text", detail: `config.jsonc also gets ${them} in plain text.`, moves: false },
    ];
    const chosen = await window.showQuickPick(items, {
      title: "Import MCP Servers for Every Agent",
      placeHolder: `${secrets} in plain text in these files. How should Symposium store ${them}?`,
      ignoreFocusOut: true,
    });
    return chosen?.moves;
  },
  tell: (text) => void window.showInformationMessage(text),
  warn: (text) => void window.showWarningMessage(text),
};
