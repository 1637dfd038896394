import * as l10n from "@vscode/l10n";
import { commands, type Memento, window, workspace } from "vscode";
import type { VsCodeBypass } from "../permissions/vscode-bypass.js";
import type { SettingsSource } from "../settings/settings-source.js";
import type { SettingsPageEditor } from "./settings-page.js";

const dismissedKey = "symposium.dismissedRecommendations";

interface SettingsEditorOptions {
  readonly source: SettingsSource;
  readonly bypass: VsCodeBypass;
  readonly memento: Memento;
  readonly addAgent: () => Promise<void>;
  readonly addExtension: () => Promise<void>;
  readonly runDoctor: (agentId: string | undefined) => Promise<void>;
}

export function vscodeSettingsEditor(options: SettingsEditorOptions): SettingsPageEditor {
  const { source, bypass, memento, addAgent, addExtension, runDoctor } = options;
  const dismissed = (): readonly string[] => memento.get<readonly string[]>(dismissedKey, []);
  return {
    get isTrusted() {
      return workspace.isTrusted;
    },
    settings: () => source.settings,
    problems: () => source.problems,
    extensionsFile: () => source.workspaceList?.file,
    rawAgents: () => source.rawAgents,
    write: (key, value) => source.write(key, value),
    isBypassed: (agentId) => bypass.has(agentId),
    setBypassed: (agentId, isBypassed) => setBypassed(bypass, agentId, isBypassed),
    dismissed,
    dismiss: async (id) => memento.update(dismissedKey, [...new Set([...dismissed(), id])]),
    addAgent,
    addExtension,
    openSettings: async (query) => {
      await commands.executeCommand("workbench.action.openSettings", query);
    },
    showPermissions: async () => {
      await commands.executeCommand("symposium.showPermissions");
    },
    runDoctor,
    say: (message) => void window.showWarningMessage(message),
  };
}

async function setBypassed(bypass: VsCodeBypass, agentId: string, isBypassed: boolean): Promise<void> {
  if (!isBypassed) return bypass.remove(agentId);
  const detail = l10n.t("It will run commands and change files, even outside the workspace, without asking you first.");
  const question = l10n.t('Let "{0}" do everything without asking?', agentId);
  const answer = await window.showWarningMessage(question, { modal: true, detail }, l10n.t("Bypass Permissions"));
  if (answer !== undefined) await bypass.add(agentId);
}
