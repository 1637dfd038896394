import * as l10n from "@vscode/l10n";
import { basename, join, relative } from "node:path";
import * as vscode from "vscode";
import { showPlannedRestore } from "../review/marks/baseline-documents.js";
import type { Review } from "../review/review.js";
import { parseOpaque } from "../review/hunks/opaque-text.js";
import { askUntilUnchanged } from "./ask-until-unchanged.js";
import { carryOutMerge } from "./carry-out-merge.js";
import type { ConflictMarks } from "./conflict-marks.js";
import { askWhole, isInEditor } from "./conflict-questions.js";
import type { LeftChange, MergePlan } from "./merge-plan.js";
import type { OpenedMerge } from "./merge-sides.js";
import { type Removal, removalLines } from "./ask-removal.js";

interface WantedMerge {
  readonly review: Review;
  readonly marks: ConflictMarks;
  readonly tabId: string;
  readonly name: string;
  readonly root: string;
  /** Absolute path of the main tree. */
  readonly top: string;
  /** Reads the current state of both trees. If nothing can be merged at the moment, shows a message and returns undefined. */
  readonly look: () => Promise<FoundMerge | undefined>;
}

export interface FoundMerge {
  readonly changes: OpenedMerge["changes"];
  readonly plan: MergePlan;
  readonly removals?: readonly Removal[];
}

/**
 * Merges a worktree's changes into the main tree after consent, under review like an agent's changes. Conflicting places stay unchanged and
 * are marked. Returns the worktrees to remove afterwards.
 */
export async function mergeForReview(wanted: WantedMerge): Promise<readonly Removal[]> {
  const { review, marks, tabId, name, root, top, look } = wanted;
  const agreed = await askUntilUnchanged({ look, ask: (found, isOther) => askMerge(wanted, found, isOther) });
  if (!agreed) return [];
  const { changes, plan, removals = [] } = agreed.found;
  const { refusals, conflicts } = await carryOutMerge({ review, tabId, root, top, changes, plan });
  const marked = marks.mark(tabId, name, conflicts);
  const paths = plan.files.map(({ path }) => path);
  review.report(refusals, paths);
  await showResult(plan, name, tabId);
  // Ask about these conflicts in a dialog, because no editor marks conflicts about whole files.
  await askWhole(marks, marked, { modal: true });
  return agreed.answer === "merge and remove" ? removals : [];
}

async function askMerge(
  { review, name, top, root }: WantedMerge,
  { plan, removals = [] }: FoundMerge,
  isOther: boolean,
): Promise<"merge" | "merge and remove" | undefined> {
  if (plan.files.length + plan.conflicts.length === 0) {
    const nothing = l10n.t("Nothing left to merge from {0}.", name);
    void vscode.window.showInformationMessage([nothing, ...leftLines(top, plan.left)].join(" "));
    return undefined;
  }
  const clean = removals.length === 1 ? l10n.t("Merge, Remove Worktree") : l10n.t("Merge, Remove Worktrees");
  const merge = removals.length === 0 ? l10n.t("Merge for Review") : l10n.t("Merge Only");
  const show = l10n.t("Show Differences");
  const other = isOther ? [l10n.t("Files changed while this dialog was open. Current state:")] : [];
  const answer = await vscode.window.showInformationMessage(
    l10n.t("Merge changes from {0} into {1}?", name, basename(top)),
    { modal: true, detail: [...other, detailOf(plan, top), ...removalLines(removals)].join("\n\n") },
    ...(removals.length === 0 ? [] : [clean]),
    merge,
    show,
  );
  // End the merge here, so that the user can inspect the differences and then start the merge again.
  if (answer === show && plan.files.length > 0)
    await showPlannedRestore(review.baselines, plan.files, l10n.t("{0}: now ↔ merged", name));
  else if (answer === show) await showConflicts(plan, top, root, name);
  if (answer === clean) return "merge and remove";
  return answer === merge ? "merge" : undefined;
}

async function showConflicts({ conflicts }: MergePlan, top: string, root: string, name: string): Promise<void> {
  const paths = [...new Set(conflicts.filter(isComparable).map(({ path }) => path))];
  const resources = paths.map((path) => {
    const file = vscode.Uri.file(path);
    return [file, file, vscode.Uri.file(join(root, relative(top, path)))];
  });
  if (resources.length > 0)
    await vscode.commands.executeCommand("vscode.changes", l10n.t("Here ↔ in {0}", name), resources);
}

function isComparable({ ours, theirs }: MergePlan["conflicts"][number]): boolean {
  return ours !== null && theirs !== null && !parseOpaque(ours) && !parseOpaque(theirs);
}

const maxNamed = 20;

function detailOf({ files, conflicts, unsaved, left }: MergePlan, top: string): string {
  const names = (paths: readonly string[]): string => {
    const named = [...new Set(paths)].map((path) => relative(top, path));
    const rest = named.length - maxNamed;
    return [...named.slice(0, maxNamed), ...(rest > 0 ? [l10n.t("… and {0} more", rest)] : [])].join("\n");
  };
  const parts = [names(files.map(({ path }) => path))];
  if (conflicts.length > 0)
    parts.push(l10n.t("Conflicts (your version is kept and marked): {0}", names(conflicts.map(({ path }) => path))));
  if (unsaved.length > 0) parts.push(l10n.t("Merged but left unsaved: {0}", names(unsaved)));
  parts.push(...leftLines(top, left));
  parts.push(l10n.t("Review each change in the file, then keep or undo it."));
  return parts.filter((part) => part !== "").join("\n\n");
}

function leftLines(top: string, left: readonly LeftChange[]): string[] {
  const words: Readonly<Record<LeftChange["reason"], string>> = {
    link: l10n.t("Not merged: symbolic links (use Git)"),
    submodule: l10n.t("Not merged: nested repositories (use Git)"),
    mode: l10n.t("Not merged: only permissions differ (use Git)"),
    mark: l10n.t("Not merged: only the byte order mark differs (use Git)"),
    unsaved: l10n.t("Not merged: unsaved here and also changed on disk (save or revert them)"),
    unreadable: l10n.t("Not merged: unreadable, or behind a link"),
  };
  return Object.entries(words).flatMap(([reason, text]) => {
    const names = left.filter((one) => one.reason === reason).map(({ path }) => relative(top, path));
    return names.length === 0 ? [] : [`${text}: ${names.join(", ")}`];
  });
}

async function showResult({ files, conflicts }: MergePlan, name: string, tabId: string): Promise<void> {
  const shown = conflicts.filter(isInEditor);
  const [first] = shown;
  if (files.length > 0) await vscode.commands.executeCommand("symposium.review.openAll", { tabId });
  if (!first) return;
  const open = l10n.t("Open Conflict");
  const count = shown.length;
  const message =
    count === 1
      ? l10n.t("1 change of {0} conflicts with later changes here. Your version was kept.", name)
      : l10n.t("{0} changes of {1} conflict with later changes here. Your version was kept.", count, name);
  void vscode.window.showWarningMessage(message, open).then(async (answer) => {
    if (answer !== open) return;
    const position = new vscode.Position(first.start, 0);
    await vscode.window.showTextDocument(vscode.Uri.file(first.path), {
      selection: new vscode.Range(position, position),
    });
  });
}
