import { join } from "node:path";
import type { FileText } from "../review/hunks/file-review.js";
import type { FileTruth } from "../review/files/compare-and-write-contract.js";
import type { PlannedRestore } from "../review/review-answers.js";
import { type Conflict, merge } from "./three-way.js";
import type { ChangedPath } from "./worktree-changes.js";

/** Reason why a change isn't merged: only Git can merge it, or the file can't be read or written now. */
type LeftReason = "link" | "submodule" | "mode" | "mark" | "unsaved" | "unreadable";

export interface LeftChange {
  readonly path: string;
  readonly reason: LeftReason;
}

export interface FileConflict extends Conflict {
  /** Absolute path of the file in the main tree. */
  readonly path: string;
}

export interface MergePlan {
  readonly files: readonly PlannedRestore[];
  readonly conflicts: readonly FileConflict[];
  /** Absolute paths of those {@link files} that have unsaved text in the editor. Their merged text is put only into the document. */
  readonly unsaved: readonly string[];
  readonly left: readonly LeftChange[];
}

export interface MergeSides {
  readonly top: string;
  base(path: string): Promise<FileText | undefined>;
  theirs(path: string): Promise<FileText | undefined>;
  ours(path: string): Promise<FileTruth>;
}

/** Computes the merge of a worktree's changes into the main tree without writing anything. */
export async function planMerge(changes: readonly ChangedPath[], sides: MergeSides): Promise<MergePlan> {
  const files: PlannedRestore[] = [];
  const conflicts: FileConflict[] = [];
  const unsaved: string[] = [];
  const left: LeftChange[] = [];
  for (const { path, kind, wasThere, canRun } of changes) {
    const file = join(sides.top, path);
    if (kind !== "file") {
      left.push({ path: file, reason: kind });
      continue;
    }
    const ours = await sides.ours(path);
    const base = wasThere ? await sides.base(path) : null;
    const theirs = await sides.theirs(path);
    if (ours.isTorn) left.push({ path: file, reason: "unsaved" });
    else if (ours.text === undefined || base === undefined || theirs === undefined)
      left.push({ path: file, reason: "unreadable" });
    else {
      const merged = merge(base, ours.text, theirs);
      conflicts.push(...merged.conflicts.map((conflict) => ({ ...conflict, path: file })));
      if (merged.text === ours.text) {
        const hasMode = canRun === undefined || (((ours.attributes?.mode ?? 0) & 0o111) !== 0) === canRun;
        // Git reports a changed content although the texts are equal, so the byte order mark differs.
        const reason = hasMode ? (base === theirs ? "mark" : undefined) : "mode";
        if (reason) left.push({ path: file, reason });
        continue;
      }
      files.push({ path: file, now: ours.text, text: merged.text, hasOthers: ours.text !== base });
      if (ours.isUnsaved) unsaved.push(file);
    }
  }
  return { files, conflicts, unsaved, left };
}

/** Returns the worktree files whose content isn't in the main tree and would be lost. */
export async function onlyThere(changes: readonly ChangedPath[], sides: MergeSides): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const { path, kind } of changes) {
    const theirs = kind === "file" ? await sides.theirs(path) : undefined;
    // Content that can't be read, such as a very large file, is treated as lost.
    if (theirs === undefined || theirs !== (await sides.ours(path)).text) lost.push(path);
  }
  return lost;
}
