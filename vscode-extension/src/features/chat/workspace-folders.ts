import * as l10n from "@vscode/l10n";
import { basename } from "node:path";
import { window, workspace } from "vscode";

export function workspaceFolders(): readonly string[] {
  const folders = (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  const document = window.activeTextEditor?.document;
  const active = document && workspace.getWorkspaceFolder(document.uri);
  const sorted = active ? [active, ...folders.filter((folder) => folder.index !== active.index)] : folders;
  return sorted.map(({ uri }) => uri.fsPath);
}

export async function chooseFolder(folders: readonly string[]): Promise<string | undefined> {
  const items = folders.map((folder) => ({ label: basename(folder), description: folder, folder }));
  const chosen = await window.showQuickPick(items, {
    title: l10n.t("Which folder should the agent work in?"),
    placeHolder: l10n.t("This agent supports one folder"),
    ignoreFocusOut: true,
  });
  return chosen?.folder;
}
