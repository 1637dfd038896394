import * as l10n from "@vscode/l10n";
import { differences, splitLines } from "../review/hunks/hunks.js";
import type { FileText } from "../review/hunks/file-review.js";
import type { FileConflict } from "./merge-plan.js";

export interface OpenConflict extends FileConflict {
  readonly found: string;
}

/** Returns the lines of the conflict in a text that changed in other places; undefined if the conflict's lines changed. */
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
 * Returns the text with the worktree's version of the conflict's lines, or the worktree's file if the file doesn't exist here. Returns
 * undefined if the conflict no longer exists.
 */
export function taken(conflict: OpenConflict, text: FileText): FileText | undefined {
  if (text === null || conflict.ours === null) return text === conflict.ours ? conflict.theirs : undefined;
  const place = placeOf(conflict, text);
  if (!place) return undefined;
  if (conflict.isWhole) return conflict.theirs;
  const lines = splitLines(text);
  return [...lines.slice(0, place.start), conflict.theirs ?? "", ...lines.slice(place.end)].join("");
}

/** Returns the title of the button that accepts the other side. A deletion is named as such. */
export function theirAnswer({ theirs }: Pick<OpenConflict, "theirs">): string {
  return theirs === null ? l10n.t("Delete File") : l10n.t("Use Worktree Version");
}
