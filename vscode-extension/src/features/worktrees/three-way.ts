import type { FileText } from "../review/hunks/file-review.js";
import { editsBetween, type LineEdit } from "../review/hunks/carry.js";
import { splitLines } from "../review/hunks/hunks.js";
import { parseOpaque } from "../review/hunks/opaque-text.js";

/** A place that both sides changed, each in its own way. */
export interface Conflict {
  /** 0-based line of the merged text at which `ours` stands. */
  readonly start: number;
  /** What stands there, and stays. Null where there is no file. */
  readonly ours: FileText;
  /** What the other side wants there; null for no file. */
  readonly theirs: FileText;
  /** It is about the file, not about lines of it. */
  readonly isWhole: boolean;
}

interface Merged {
  /** Ours, with those changes of theirs that touch none of ours. */
  readonly text: FileText;
  readonly conflicts: readonly Conflict[];
}

/** Larger texts are merged as a whole. In characters. */
const maxMergedChars = 4_000_000;

/** Brings what `theirs` changed since `base` into `ours`. What touches a change of ours is a conflict, and left out. */
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

/** Places that one side or both changed: changes without an equal line between them belong together, as in Git. */
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

/** The lines of a region after some edits. */
function within(base: readonly string[], { start, end }: Region, edits: readonly LineEdit[]): string[] {
  const parts: (readonly string[])[] = [];
  let copied = start;
  for (const edit of edits) {
    parts.push(base.slice(copied, edit.start), edit.lines);
    copied = edit.end;
  }
  return [...parts, base.slice(copied, end)].flat();
}
