import { window } from "vscode";
import type { ApprovalDialog } from "./project-approval.js";

/** Asks in a modal dialog, which shows all of it. */
export const vscodeApprovalDialog: ApprovalDialog = {
  confirm: async (title, text) =>
    (await window.showWarningMessage(title, { modal: true, detail: text }, "Allow")) !== undefined,
  say: (message) => void window.showInformationMessage(message),
};
