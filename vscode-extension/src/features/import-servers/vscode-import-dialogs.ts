import * as l10n from "@vscode/l10n";
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
      title: l10n.t("Import MCP Servers for Every Agent"),
      placeHolder: l10n.t(
        "Select servers for your agents. Nothing starts now, and the other products' files don't change.",
      ),
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
        ? [l10n.t("This MCP server is too long to show in the list. Import it as shown here?"), l10n.t("Import It")]
        : [
            l10n.t("{0} MCP servers are too long to show in the list. Import them as shown here?", count),
            l10n.t("Import Them"),
          ];
    return (await window.showWarningMessage(question, { modal: true, detail: text }, button)) !== undefined;
  },
  async movesSecrets(count) {
    const texts =
      count === 1
        ? {
            question: l10n.t("A secret is in plain text in these files. How should Symposium store it?"),
            moved: l10n.t("config.jsonc gets only its name, such as ${secret:NAME}."),
            left: l10n.t("config.jsonc also gets it in plain text."),
          }
        : {
            question: l10n.t("{0} secrets are in plain text in these files. How should Symposium store them?", count),
            moved: l10n.t("config.jsonc gets only their names, such as ${secret:NAME}."),
            left: l10n.t("config.jsonc also gets them in plain text."),
          };
    const items: SecretItem[] = [
      {
        label: l10n.t("$(key) Store in the secret store"),
        detail: texts.moved,
        moves: true,
      },
      {
        label: l10n.t("$(file) Leave in plain text"),
        detail: texts.left,
        moves: false,
      },
    ];
    const chosen = await window.showQuickPick(items, {
      title: l10n.t("Import MCP Servers for Every Agent"),
      placeHolder: texts.question,
      ignoreFocusOut: true,
    });
    return chosen?.moves;
  },
  tell: (text) => void window.showInformationMessage(text),
  warn: (text) => void window.showWarningMessage(text),
};
