import { differences, type Range } from "./hunks.js";

/**
 * Carries a user's own edit over to the baseline. `current` became `edited`; every edited range that touches no hunk
 * (a difference between `baseline` and `current`) is applied to the baseline too, so that it is no change to review
 * and no undo takes it back. An edit inside a hunk, or right beside one, becomes part of that hunk.
 */
export function rebase(baseline: readonly string[], current: readonly string[], edited: readonly string[]): string[] {
  const hunks = differences(baseline, current);
  const result: string[] = [];
  let copied = 0;
  for (const edit of differences(current, edited)) {
    if (hunks.some((hunk) => touches(hunk, edit))) continue;
    // Outside all hunks, lines of the baseline and of the current text correspond one to one.
    const shift = shiftBefore(hunks, edit.baseStart);
    result.push(...baseline.slice(copied, edit.baseStart + shift), ...edited.slice(edit.start, edit.end));
    copied = edit.baseEnd + shift;
  }
  result.push(...baseline.slice(copied));
  return result;
}

/** Adjacent counts: which of two neighbours an insertion belongs to cannot be told. */
function touches(hunk: Range, edit: Range): boolean {
  return edit.baseStart <= hunk.end && edit.baseEnd >= hunk.start;
}

function shiftBefore(hunks: readonly Range[], line: number): number {
  const before = hunks.filter((hunk) => hunk.end <= line).at(-1);
  return before ? before.baseEnd - before.end : 0;
}
