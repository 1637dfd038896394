import { differences } from "./hunks.js";

/**
 * Returns a line's position in a later text, 0-based. If the line was changed or removed, returns the position of the lines that replaced
 * it.
 */
export function movedLine(line: number, before: readonly string[], now: readonly string[]): number {
  let shift = 0;
  for (const { baseStart, baseEnd, start, end } of differences(before, now)) {
    if (line < baseStart) break;
    if (line < baseEnd) return start + Math.min(line - baseStart, Math.max(end - start - 1, 0));
    shift = end - baseEnd;
  }
  return line + shift;
}
