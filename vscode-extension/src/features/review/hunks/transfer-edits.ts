import { differences, type Range } from "./hunks.js";

export interface LineEdit {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

export function editsBetween(text: readonly string[], edited: readonly string[]): LineEdit[] {
  return differences(text, edited).map(({ baseStart, baseEnd, start, end }) => ({
    start: baseStart,
    end: baseEnd,
    lines: edited.slice(start, end),
  }));
}

/**
 * Applies to `text` the edits that were made to `current`. Edits must be in order and only touch lines that are equal in both texts; an
 * edit next to a differing range stays on the same side of it.
 */
export function carry(text: readonly string[], current: readonly string[], edits: readonly LineEdit[]): string[] {
  const differing = differences(text, current);
  const parts: (readonly string[])[] = [];
  let copied = 0;
  let passed = 0;
  let shift = 0;
  for (const { start, end, lines } of edits) {
    for (let next = differing[passed]; next !== undefined && next.end <= start; next = differing[++passed])
      shift = next.baseEnd - next.end;
    parts.push(text.slice(copied, start + shift), lines);
    copied = end + shift;
  }
  parts.push(text.slice(copied));
  return parts.flat();
}

/** Replaces ranges of `base` that differ from `current` with the lines in `current`. */
export function takeOver(base: readonly string[], current: readonly string[], ranges: readonly Range[]): string[] {
  const parts: (readonly string[])[] = [];
  let copied = 0;
  for (const { baseStart, baseEnd, start, end } of ranges) {
    parts.push(base.slice(copied, baseStart), current.slice(start, end));
    copied = baseEnd;
  }
  parts.push(base.slice(copied));
  return parts.flat();
}

/**
 * Splits a deletion at the borders of the ranges, so that each piece counts separately. Replacements stay whole, since their new lines
 * can't be assigned to old ones.
 */
export function piecesOf(
  edit: LineEdit,
  ranges: readonly { readonly start: number; readonly end: number }[],
): LineEdit[] {
  if (edit.lines.length > 0) return [edit];
  const edges = ranges.flatMap(({ start, end }) => [start, end]).filter((at) => at > edit.start && at < edit.end);
  const cuts = [...new Set([edit.start, ...edges.sort((a, b) => a - b), edit.end])];
  return cuts.slice(1).map((end, index) => ({ start: cuts[index] ?? edit.start, end, lines: [] }));
}
