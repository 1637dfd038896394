import * as vscode from "vscode";
import type { Review } from "./review.js";
import type { PlannedRestore } from "./review-answers.js";

/**
 * Takes back what a tab's agent changed since a prompt, after the user has agreed; what others changed since stays.
 * What is replaced is offered back at once, so a restore can be undone too.
 */
export async function restoreCheckpoint(review: Review, tabId: string, messageId: string): Promise<void> {
  if (review.isRunning(tabId)) {
    // What the agent writes next would be a mixture of two states of the files.
    const message = vscode.l10n.t("The agent is still at work. Stop it first, then restore the files.");
    await vscode.window.showWarningMessage(message, { modal: true });
    return;
  }
  const steps = review.checkpoints.since(tabId, messageId);
  if (!steps) {
    void vscode.window.showWarningMessage(
      vscode.l10n.t("The files before this prompt are not known any more. Use the history of your version control."),
    );
    return;
  }
  const { files, refusals } = await review.answers.planRestore(steps);
  if (files.length === 0) {
    if (refusals.length > 0) review.report(refusals);
    else void vscode.window.showInformationMessage(vscode.l10n.t("The files are as they were before this prompt."));
    return;
  }
  const names = files.map(({ path }) => vscode.workspace.asRelativePath(path)).join("\n");
  const left = refusals.map(({ path }) => vscode.workspace.asRelativePath(path)).join(", ");
  const warning =
    left === ""
      ? ""
      : `\n\n${vscode.l10n.t("Changed since by somebody else, which cannot be told apart and stays: {0}", left)}`;
  const restore = vscode.l10n.t("Restore {0} files", files.length);
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t("Put these files back to what they were before this prompt?"),
    { modal: true, detail: names + warning },
    restore,
  );
  if (answer !== restore) return;
  const changing = await review.answers.restore(tabId, files);
  review.report([...refusals, ...changing]);
  const restored = files.filter(({ path }) => !changing.some((refusal) => refusal.path === path));
  if (restored.length === 0) return;
  const undo = vscode.l10n.t("Undo the restore");
  const undone = await vscode.window.showInformationMessage(
    vscode.l10n.t("{0} files restored.", restored.length),
    undo,
  );
  if (undone === undo) review.report(await review.answers.restore(tabId, restored.map(reversed)));
}

function reversed({ path, now, text }: PlannedRestore): PlannedRestore {
  return { path, now: text, text: now };
}
