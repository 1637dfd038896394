import type { FileText } from "../review/hunks/file-review.js";
import { editsBetween, type LineEdit } from "../review/hunks/transfer-edits.js";
import { splitLines } from "../review/hunks/hunks.js";
import { parseOpaque } from "../review/hunks/opaque-text.js";

export interface Conflict {
  /** First line of `ours` in the merged text, 0-based. */
  readonly start: number;
  /** Our side's text of the conflict, as in the merged result; null if there is no file. */
  readonly ours: FileText;
  /** The other side's text of the conflict; null if there is no file. */
  readonly theirs: FileText;
  /** True if the conflict is about the whole file instead of lines. */
  readonly isWhole: boolean;
}

interface Merged {
  readonly text: FileText;
  readonly conflicts: readonly Conflict[];
}

/** Maximum length in characters for a merge by lines; larger texts are merged as a whole. */
const maxMergedChars = 4_000_000;

/** Merges the changes from `base` to `theirs` into `ours`. Changes that touch changes in `ours` become conflicts and aren't applied. */
export function merge(base: FileText, ours: FileText, theirs: FileText): Merged {
  if (ours === theirs || theirs === base) return { text: ours, conflicts: [] };
  if (ours === base) return { text: theirs, conflicts: [] };
  if (!isText(base) || !isText(ours) || !isText(theirs))
    return { text: ours, conflicts: [{ start: 0, ours, theirs, isWhole: true }] };
  return mergeLines(splitLines(base), splitLines(ours), splitLines(theirs));
}

function isText(text: FileText): text is string {
  return text !== null && text.length <= maxMergedChars && !parseOpaque(text);
}

interface Region {
  readonly start: number;
  end: number;
  readonly ours: LineEdit[];
  readonly theirs: LineEdit[];
}

function mergeLines(base: readonly string[], ours: readonly string[], theirs: readonly string[]): Merged {
  const parts: (readonly string[])[] = [];
  const conflicts: Conflict[] = [];
  let copied = 0;
  let line = 0;
  const add = (lines: readonly string[]): void => {
    parts.push(lines);
    line += lines.length;
  };
  for (const region of regionsOf(editsBetween(base, ours), editsBetween(base, theirs))) {
    const { start, end } = region;
    add(base.slice(copied, start));
    copied = end;
    const mine = within(base, region, region.ours);
    const other = within(base, region, region.theirs);
    const isConflict = region.ours.length > 0 && region.theirs.length > 0 && mine.join("") !== other.join("");
    if (isConflict) conflicts.push({ start: line, ours: mine.join(""), theirs: other.join(""), isWhole: false });
    add(isConflict || region.theirs.length === 0 ? mine : other);
  }
  add(base.slice(copied));
  return { text: parts.flat().join(""), conflicts };
}

function regionsOf(ours: readonly LineEdit[], theirs: readonly LineEdit[]): Region[] {
  const all = [...ours.map((edit) => ({ edit, isOurs: true })), ...theirs.map((edit) => ({ edit, isOurs: false }))];
  all.sort((a, b) => a.edit.start - b.edit.start || a.edit.end - b.edit.end);
  const regions: Region[] = [];
  for (const { edit, isOurs } of all) {
    let region = regions.at(-1);
    if (!region || edit.start > region.end) {
      region = { start: edit.start, end: edit.end, ours: [], theirs: [] };
      regions.push(region);
    }
    region.end = Math.max(region.end, edit.end);
    (isOurs ? region.ours : region.theirs).push(edit);
  }
  return regions;
}

function within(base: readonly string[], { start, end }: Region, edits: readonly LineEdit[]): string[] {
  const parts: (readonly string[])[] = [];
  let copied = start;
  for (const edit of edits) {
    parts.push(base.slice(copied, edit.start), edit.lines);
    copied = edit.end;
  }
  return [...parts, base.slice(copied, end)].flat();
}
