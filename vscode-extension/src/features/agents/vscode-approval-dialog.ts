import * as l10n from "@vscode/l10n";
import { window } from "vscode";
import type { ApprovalDialog } from "./project-approval.js";

/** Uses a modal dialog, since a notification would cut the text. */
export const vscodeApprovalDialog: ApprovalDialog = {
  confirm: async (title, text) =>
    (await window.showWarningMessage(title, { modal: true, detail: text }, l10n.t("Allow"))) !== undefined,
  say: (message) => void window.showInformationMessage(message),
};
