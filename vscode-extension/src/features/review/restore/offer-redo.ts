import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import type { Refusal } from "../review-answers.js";
import type { UndoneFiles } from "./undone-files.js";

export async function offerRedo(
  undone: UndoneFiles,
  least: number,
  report: (refusals: readonly Refusal[]) => void,
): Promise<void> {
  if (undone.count < least) return;
  const redo = l10n.t("Redo");
  const said =
    undone.count === 1
      ? l10n.t("The changes in 1 file were undone.")
      : l10n.t("The changes in {0} files were undone.", undone.count);
  if ((await vscode.window.showInformationMessage(said, redo)) === redo) report(await undone.redo());
}
