import { differences, type Range } from "./hunks.js";

/** Lines `[start, end)` of a text become `lines`. */
export interface LineEdit {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** What turns one text into the other, in order. */
export function editsBetween(text: readonly string[], edited: readonly string[]): LineEdit[] {
  return differences(text, edited).map(({ baseStart, baseEnd, start, end }) => ({
    start: baseStart,
    end: baseEnd,
    lines: edited.slice(start, end),
  }));
}

/**
 * Makes edits of `current` in `text` too. They stand in order, and each is of lines in which the two texts are equal:
 * at the edge of a difference, an edit stays on its side of it.
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

/** Puts lines of one text in the place of what differs from them in the other, for some of the differences. */
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
 * A deletion in pieces that lie inside or outside of the ranges, so that each counts for itself. What replaces lines
 * by others stays whole: which new line stands for which old one cannot be told.
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
