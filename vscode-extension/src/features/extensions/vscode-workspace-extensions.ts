import { TrustFile } from "@symposium-dev/core/node";
import { window } from "vscode";
import type { SettingsSource } from "../settings/settings-source.js";
import { WorkspaceExtensions } from "./workspace-extensions.js";

/** The extensions of this window's workspace, with questions in modal dialogs and answers in trust.json. */
export function vscodeWorkspaceExtensions(source: SettingsSource): WorkspaceExtensions {
  return new WorkspaceExtensions({
    settings: () => source.settings,
    workspaceList: () => source.workspaceList,
    answers: new TrustFile(),
    confirm: async (question, detail) => {
      const answer = await window.showWarningMessage(question, { modal: true, detail }, "Allow", "Leave Out");
      return answer === undefined ? undefined : answer === "Allow";
    },
    tellLeftOut: async (text) => (await window.showWarningMessage(text, "Ask Again")) !== undefined,
    failed: (message) => void window.showErrorMessage(message),
  });
}
