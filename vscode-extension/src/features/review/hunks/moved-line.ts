import { differences } from "./hunks.js";

/** Where a line of a text is in a later one; of a line that was changed or removed, where its place is. 0-based. */
export function movedLine(line: number, before: readonly string[], now: readonly string[]): number {
  let shift = 0;
  for (const { baseStart, baseEnd, start, end } of differences(before, now)) {
    if (line < baseStart) break;
    if (line < baseEnd) return start + Math.min(line - baseStart, Math.max(end - start - 1, 0));
    shift = end - baseEnd;
  }
  return line + shift;
}
