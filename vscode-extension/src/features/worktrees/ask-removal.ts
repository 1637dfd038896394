import * as l10n from "@vscode/l10n";
import * as vscode from "vscode";
import type { Loss } from "./worktree-loss.js";
import type { FoundWorktree } from "./worktrees.js";

const maxNamed = 15;

/**
 * Asks the user before data is lost, and whether to delete the branch. If nothing would be lost, deletes the branch without asking. Returns
 * undefined if the user declines; `isOther` means that the loss has changed since the last question.
 */
export async function askRemoval(
  { name, branch, isMissing }: FoundWorktree,
  loss: Loss,
  isOther: boolean,
): Promise<{ readonly isBranchDeleted: boolean } | undefined> {
  const lines = lossLines(loss);
  const { commits } = loss;
  if (lines.length + commits === 0) return { isBranchDeleted: true };
  const detail = [
    ...(isOther ? [l10n.t("The worktree changed while this dialog was open. Current state:")] : []),
    ...lines,
    ...(commits === 0
      ? []
      : [l10n.t("Branch {1} has {0} unmerged commits. Keep the branch to keep them.", commits, branch)]),
  ].join("\n\n");
  const keep = l10n.t("Remove, Keep Branch");
  const all = l10n.t("Remove Worktree and Branch");
  const message = isMissing
    ? l10n.t("The worktree {0} no longer exists. Remove it from the list?", name)
    : l10n.t("Remove the worktree {0}?", name);
  // If the branch has no commits of its own, don't offer to keep it.
  const buttons = commits === 0 ? [all] : [keep, all];
  const answer = await vscode.window.showWarningMessage(message, { modal: true, detail }, ...buttons);
  return answer === undefined ? undefined : { isBranchDeleted: answer === all };
}

/** Worktree to remove after a merge, and the loss that the user accepted. The branch is kept if it has commits of its own. */
export interface Removal {
  readonly worktree: FoundWorktree;
  readonly loss: Loss;
}

/** Returns lines that describe the removals in the question about a merge. */
export function removalLines(removals: readonly Removal[]): string[] {
  return removals.map(({ worktree: { name, branch }, loss }) =>
    [
      loss.commits === 0
        ? l10n.t("Worktree to remove: {0}", name)
        : l10n.t("Worktree to remove: {0}. The branch {1} stays, with {2} commits.", name, branch, loss.commits),
      ...lossLines(loss),
    ].join("\n"),
  );
}

function lossLines({ files, ignored }: Loss): string[] {
  return [
    ...(files.length === 0
      ? []
      : [l10n.t("These files have changes that are not in the main folder:\n{0}", named(files))]),
    ...(ignored.length === 0
      ? []
      : [
          l10n.t("Git ignores these files, and the main folder lacks them or has different ones:\n{0}", named(ignored)),
        ]),
  ];
}

function named(paths: readonly string[]): string {
  const rest = paths.length - maxNamed;
  return paths.slice(0, maxNamed).join("\n") + (rest > 0 ? l10n.t("\n… and {0} more", rest) : "");
}
