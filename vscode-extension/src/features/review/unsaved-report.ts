import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { openDocument } from "./files/open-documents.js";

/**
 * Reports which of the changed files are only changed in the editor, because they had unsaved text; a button saves them. Returns false if
 * there are none.
 */
export function reportUnsaved(paths: readonly string[]): boolean {
  const unsaved = paths.flatMap((path) => openDocument(path) ?? []).filter(({ isDirty }) => isDirty);
  if (unsaved.length === 0) return false;
  const names = unsaved.map(({ uri }) => `"${vscode.workspace.asRelativePath(uri)}"`).join(", ");
  const message =
    unsaved.length === 1
      ? l10n.t("{0} had unsaved text, so it is changed but not saved.", names)
      : l10n.t("{0} had unsaved text, so they are changed but not saved.", names);
  const save = l10n.t("Save");
  void vscode.window.showInformationMessage(message, save).then(async (answer) => {
    if (answer === save) for (const document of unsaved) await document.save();
  });
  return true;
}
