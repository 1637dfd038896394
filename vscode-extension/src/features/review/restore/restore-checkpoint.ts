import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import { showPlannedRestore } from "../marks/baseline-documents.js";
import type { CheckpointStep } from "./checkpoints.js";
import type { Review } from "../review.js";
import type { PlannedRestore } from "../review-answers.js";
import { plannedLabel } from "./restored-files.js";

interface PromptGoneBackTo {
  /** Opens a tab next to the old one. The new tab continues the conversation before the prompt, with the prompt as its draft. */
  goBack(): void;
}

/**
 * Goes back to a prompt: restores the files that the agent changed since, the conversation, or both, as the user chooses. Others' changes
 * in these files are shown and preserved, and the old tab stays. The restore can be undone until the tab's next turn.
 */
export async function restoreCheckpoint(
  review: Review,
  tabId: string,
  messageId: string,
  prompt: PromptGoneBackTo,
): Promise<void> {
  if (review.isRunning(tabId)) return sayAtWork();
  const steps = review.checkpoints.since(tabId, messageId);
  if (!steps) {
    void vscode.window.showWarningMessage(
      l10n.t("The files from before this prompt are no longer available. Use your version control's history."),
    );
    return;
  }
  const { files, refusals } = await review.answers.planRestore(steps);
  if (files.length === 0 && refusals.length > 0) {
    review.report(refusals);
    return;
  }
  const restore = files.length === 1 ? l10n.t("Restore 1 file") : l10n.t("Restore {0} files", files.length);
  const both = l10n.t("Files and Conversation");
  const conversation = l10n.t("Conversation Only");
  const show = l10n.t("Show Differences");
  const answer = await vscode.window.showWarningMessage(
    files.length === 0
      ? l10n.t("The files haven't changed since this prompt.")
      : l10n.t("Restore these files to how they were before this prompt?"),
    { modal: true, detail: detailOf(files, refusals, (path) => review.labelOf(tabId, path)) },
    ...(files.length === 0 ? [conversation] : [restore, both, conversation, show]),
  );
  if (answer === show) await showPlannedRestore(review.baselines, files);
  // A prompt may have started while the dialog was open.
  if ((answer === restore || answer === both) && review.isRunning(tabId)) return sayAtWork();
  if (answer === conversation || answer === both) prompt.goBack();
  if (answer !== restore && answer !== both) return;
  const left = [...refusals, ...(await review.restored.restore(tabId, messageId, files))];
  const paths = files.map(({ path }) => path);
  if (review.report(left, paths)) void vscode.window.showInformationMessage(l10n.t("The files were restored."));
}

/** Restores the files that the agent changed since a prompt, unless others' changes overlap. */
export async function restoreUnasked(review: Review, tabId: string, messageId: string): Promise<void> {
  if (review.isRunning(tabId)) return sayAtWork();
  const steps = review.checkpoints.since(tabId, messageId) ?? new Map<string, readonly CheckpointStep[]>();
  const { files, refusals } = await review.answers.planRestore(steps);
  const left = [...refusals, ...(await review.restored.restore(tabId, messageId, files))];
  const paths = files.map(({ path }) => path);
  review.report(left, paths);
}

async function sayAtWork(): Promise<void> {
  const message = l10n.t("The agent is still working. Stop it, then restore the files.");
  await vscode.window.showWarningMessage(message, { modal: true });
}

function detailOf(
  files: readonly PlannedRestore[],
  refusals: readonly { readonly path: string }[],
  labelOf: (path: string) => string,
): string {
  const named = (some: readonly { readonly path: string }[], by: string): string =>
    some.map(({ path }) => labelOf(path)).join(by);
  const others = files.filter(({ hasOthers }) => hasOthers);
  const parts = [files.map((file) => plannedLabel(file, labelOf(file.path))).join("\n")];
  if (others.length > 0) parts.push(l10n.t("Later edits by you or others are kept: {0}", named(others, ", ")));
  if (refusals.length > 0) parts.push(l10n.t("Not restored, because later edits overlap: {0}", named(refusals, ", ")));
  return parts.filter((part) => part !== "").join("\n\n");
}
