import { commands, env, Uri, workspace } from "vscode";
import type { Remedy } from "./remedy.js";

/** Applies remedies that only need an editor command. */
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
    case "ask-registry":
    case "install-agent":
      return;
  }
}

export function openFolder(): string | undefined {
  return workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file")?.uri.fsPath;
}
