import { join } from "node:path";
import type { FileText } from "../review/hunks/file-review.js";
import type { FileTruth } from "../review/files/current-files.js";
import type { PlannedRestore } from "../review/review-answers.js";
import { type Conflict, merge } from "./three-way.js";
import type { ChangedPath } from "./worktree-changes.js";

/** Why a change is not offered: it is for Git itself, or the file cannot be read now. */
type LeftReason = "link" | "submodule" | "mode" | "mark" | "unsaved" | "unreadable";

export interface LeftChange {
  readonly path: string;
  readonly reason: LeftReason;
}

export interface FileConflict extends Conflict {
  /** Of the file in the main tree. Absolute. */
  readonly path: string;
}

/** What merging a worktree would do to the main tree. */
export interface MergePlan {
  /** Files to be written, with what they have now. */
  readonly files: readonly PlannedRestore[];
  readonly conflicts: readonly FileConflict[];
  /** Of {@link files}, those with words in the editor that are not saved: it alone gets the merged text. Absolute. */
  readonly unsaved: readonly string[];
  readonly left: readonly LeftChange[];
}

/** The three places that a merge reads, by a path relative to their tops; undefined where it cannot be read. */
export interface MergeSides {
  /** Absolute. */
  readonly top: string;
  base(path: string): Promise<FileText | undefined>;
  theirs(path: string): Promise<FileText | undefined>;
  /** With what the editor has not saved. */
  ours(path: string): Promise<FileTruth>;
}

/** Finds what a worktree's changes would make of the main tree's files. Writes nothing. */
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
        // Git found another content, of which a text does not tell the byte order mark.
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

/** Files of a worktree whose content is not in the main tree: what would be lost with it. */
export async function onlyThere(changes: readonly ChangedPath[], sides: MergeSides): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const { path, kind } of changes) {
    const theirs = kind === "file" ? await sides.theirs(path) : undefined;
    // What cannot be read, such as a very large file, cannot be said to be there, too.
    if (theirs === undefined || theirs !== (await sides.ours(path)).text) lost.push(path);
  }
  return lost;
}
