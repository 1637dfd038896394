import * as vscode from "vscode";
import type { BaselineDocuments } from "./baseline-documents.js";
import type { Refusal, RefusalReason } from "./review-answers.js";

/** Says which files an undo or a restore left as they are, and why; a button shows what differs in them. */
export function reportRefusals(texts: BaselineDocuments, refusals: readonly Refusal[]): void {
  const [first] = refusals;
  if (!first) return;
  const names = refusals.map(({ path }) => `"${vscode.workspace.asRelativePath(path)}"`).join(", ");
  const message =
    refusals.length === 1 || refusals.every(({ reason }) => reason === first.reason)
      ? reasonWords(first.reason, names)
      : refusals.map(({ path, reason }) => reasonWords(reason, `"${vscode.workspace.asRelativePath(path)}"`)).join(" ");
  const show = vscode.l10n.t("Show Differences");
  // The answer to what the user just asked for: a message that goes away by itself would leave it unanswered.
  void vscode.window.showWarningMessage(message, { modal: true }, show).then(async (answer) => {
    if (answer === show) await showDifferences(texts, refusals);
  });
}

function reasonWords(reason: RefusalReason, names: string): string {
  switch (reason) {
    case "mixed":
      return vscode.l10n.t(
        "Left as it is: changes in {0} hold lines that the agent did not write, and cannot be told apart from its own.",
        names,
      );
    case "torn":
      return vscode.l10n.t(
        "Left as it is: {0} has unsaved changes here and other ones on disk. Save or revert it, then try again.",
        names,
      );
    case "unreadable":
      return vscode.l10n.t("Left as it is: {0} cannot be read as text any more.", names);
    case "changing":
      return vscode.l10n.t(
        "Left as it is: {0} could not be written, or was changed at the same moment. Try again.",
        names,
      );
  }
}

/** Each file beside what it was before the agent; one that the agent made beside what the agent wrote. */
async function showDifferences(texts: BaselineDocuments, refusals: readonly Refusal[]): Promise<void> {
  const pairs = refusals.map(({ path, beside }) => {
    return { old: texts.show(path, beside.text), file: vscode.Uri.file(path), isAgents: beside.isAgents };
  });
  const [only] = pairs;
  if (pairs.length === 1 && only) {
    const name = vscode.workspace.asRelativePath(only.file);
    const title = only.isAgents
      ? vscode.l10n.t("{0} (as the agent wrote it ↔ now)", name)
      : vscode.l10n.t("{0} (before the agent ↔ now)", name);
    await vscode.commands.executeCommand("vscode.diff", only.old, only.file, title, { preview: true });
    return;
  }
  const resources = pairs.map(({ old, file }) => [file, old, file]);
  await vscode.commands.executeCommand("vscode.changes", vscode.l10n.t("Changes of the agent and others"), resources);
}
