import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import type { BaselineDocuments } from "./marks/baseline-documents.js";
import type { Refusal, RefusalReason } from "./review-answers.js";

/**
 * Reports which files an undo or a restore didn't change, and why. Buttons show the differences, or call `undoBoth` to undo the changes
 * that contain lines of others.
 */
export function reportRefusals(
  texts: BaselineDocuments,
  refusals: readonly Refusal[],
  undoBoth: (refusals: readonly Refusal[]) => Promise<void>,
): void {
  const [first] = refusals;
  if (!first) return;
  const said = (reason: RefusalReason, some: readonly Refusal[]): string => {
    const paths = some.map(({ path }) => path);
    const names = paths.map((path) => `"${vscode.workspace.asRelativePath(path)}"`).join(", ");
    return reasonWords(reason, names, texts.isOfAgents(paths));
  };
  const message =
    refusals.length === 1 || refusals.every(({ reason }) => reason === first.reason)
      ? said(first.reason, refusals)
      : refusals.map((one) => said(one.reason, [one])).join(" ");
  const show = l10n.t("Show Differences");
  // Wait for the user's answer here. If the message disappeared by itself, the user's action would have no result.
  const both = l10n.t("Undo Both");
  const mixed = refusals.filter(({ undo }) => undo !== undefined);
  const buttons = [show, ...(mixed.length > 0 ? [both] : [])];
  void vscode.window.showWarningMessage(message, { modal: true }, ...buttons).then(async (answer) => {
    if (answer === show) await showDifferences(texts, refusals);
    else if (answer === both) await undoBoth(mixed);
  });
}

function reasonWords(reason: RefusalReason, names: string, isOfAgents: boolean): string {
  switch (reason) {
    case "mixed":
      return isOfAgents
        ? l10n.t("{0} was not undone: other edits overlap the agent's.", names)
        : l10n.t("{0} was not changed: other edits overlap these.", names);
    case "torn":
      return l10n.t("{0} has unsaved changes and also changed on disk. Save or revert it, then try again.", names);
    case "unreadable":
      return l10n.t("{0} can no longer be read as text.", names);
    case "not kept":
      return l10n.t("The earlier version of {0} is no longer available.", names);
    case "changing":
      return l10n.t("{0} couldn't be written or has changed. Try again.", names);
  }
}

/** Shows each file beside its text before the changes, or beside the agent's text if the agent created the file. */
async function showDifferences(texts: BaselineDocuments, refusals: readonly Refusal[]): Promise<void> {
  const pairs = refusals.map(({ path, beside }) => {
    return { old: texts.show(path, beside.text), file: vscode.Uri.file(path), isAgents: beside.isAgents };
  });
  const [only] = pairs;
  const isOfAgents = texts.isOfAgents(refusals.map(({ path }) => path));
  if (pairs.length === 1 && only) {
    const name = vscode.workspace.asRelativePath(only.file);
    const title = only.isAgents
      ? isOfAgents
        ? l10n.t("{0} (the agent's version ↔ now)", name)
        : l10n.t("{0} (first version ↔ now)", name)
      : isOfAgents
        ? l10n.t("{0} (before the agent ↔ now)", name)
        : l10n.t("{0} (before the change ↔ now)", name);
    await vscode.commands.executeCommand("vscode.diff", only.old, only.file, title, { preview: true });
    return;
  }
  const resources = pairs.map(({ old, file }) => [file, old, file]);
  const title = isOfAgents ? l10n.t("Changes of the agent and others") : l10n.t("Changes mixed with other edits");
  await vscode.commands.executeCommand("vscode.changes", title, resources);
}
