import * as vscode from "vscode";
import type { Refusal } from "../review-answers.js";
import type { UndoneFiles } from "./undone-files.js";

/** Offers, in a notification, to redo what was undone in several files. In one file the editor's own undo does that. */
export async function offerRedo(undone: UndoneFiles, report: (refusals: readonly Refusal[]) => void): Promise<void> {
  if (undone.count < 2) return;
  const redo = vscode.l10n.t("Redo");
  const said = vscode.l10n.t("The changes in {0} files were undone.", undone.count);
  if ((await vscode.window.showInformationMessage(said, redo)) === redo) report(await undone.redo());
}
