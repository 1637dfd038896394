import { differences, splitLines } from "../review/hunks/hunks.js";
import type { FileText } from "../review/hunks/file-review.js";
import type { FileConflict } from "./merge-plan.js";

/** A conflict that nobody has answered. */
export interface OpenConflict extends FileConflict {
  /** The file's text when it was found: `start` is a line of it. */
  readonly found: string;
}

/** Where its lines are in a text that has changed elsewhere since; undefined where they are not the same any more. */
export function placeOf(
  conflict: OpenConflict,
  text: string,
): { readonly start: number; readonly end: number } | undefined {
  const lines = splitLines(text);
  if (conflict.isWhole) return text === conflict.found ? { start: 0, end: lines.length } : undefined;
  const end = conflict.start + splitLines(conflict.ours ?? "").length;
  let shift = 0;
  for (const range of differences(splitLines(conflict.found), lines)) {
    const isBefore = range.baseEnd < conflict.start || (range.baseEnd === conflict.start && conflict.start < end);
    if (!isBefore && range.baseStart < Math.max(end, conflict.start + 1)) return undefined;
    if (isBefore) shift = range.end - range.baseEnd;
  }
  return { start: conflict.start + shift, end: end + shift };
}

/**
 * The text with the other side's lines in the place of a conflict, or the other side's file in the place of one that is gone;
 * undefined where it is not there any more.
 */
export function taken(conflict: OpenConflict, text: FileText): FileText | undefined {
  if (text === null || conflict.ours === null) return text === conflict.ours ? conflict.theirs : undefined;
  const place = placeOf(conflict, text);
  if (!place) return undefined;
  if (conflict.isWhole) return conflict.theirs;
  const lines = splitLines(text);
  return [...lines.slice(0, place.start), conflict.theirs ?? "", ...lines.slice(place.end)].join("");
}

/** Title of the button that accepts the other side: deleting a file is not hidden behind "Use Worktree Version". */
export function theirAnswer({ theirs }: Pick<OpenConflict, "theirs">): "Delete File" | "Use Worktree Version" {
  return theirs === null ? "Delete File" : "Use Worktree Version";
}
