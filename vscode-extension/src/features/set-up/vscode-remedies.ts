import { commands, env, Uri, workspace } from "vscode";
import type { Remedy } from "./remedy.js";

const editorCommands: Readonly<Partial<Record<Remedy["kind"], string>>> = {
  "manage-trust": "workbench.trust.manage",
  "open-folder": "workbench.action.files.openFolder",
  "open-setting": "workbench.action.openSettings",
  "show-log": "symposium.showLog",
  "choose-agent": "symposium.selectAgent",
  "sign-in": "symposium.newTab",
  update: "symposium.checkForUpdates",
};

/** Applies remedies that only need an editor command. */
export async function applyInEditor(remedy: Remedy): Promise<void> {
  const { kind, ...given } = remedy;
  const command = editorCommands[kind];
  if (remedy.kind === "open-website") await env.openExternal(Uri.parse(remedy.address, true));
  else if (command !== undefined) await commands.executeCommand(command, ...Object.values(given));
}

export function openFolder(): string | undefined {
  return workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file")?.uri.fsPath;
}
