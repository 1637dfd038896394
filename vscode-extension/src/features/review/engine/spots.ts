import type { LineEdit } from "./carry.js";
import { differences, type Range } from "./hunks.js";

/**
 * A place in a text that an agent changed: `[start, end)` are its lines. `hunks` are differences from the baseline,
 * `foreign` those from what the agent wrote. Where there are foreign lines, the spot is mixed: what is whose in it
 * cannot be told apart.
 */
interface Spot {
  readonly start: number;
  readonly end: number;
  readonly hunks: readonly Range[];
  readonly foreign: readonly Range[];
}

/** The spots of `current`, in order. Differences that touch each other are one. */
export function spotsOf(baseline: readonly string[], written: readonly string[], current: readonly string[]): Spot[] {
  const all = [
    ...differences(baseline, current).map((range) => ({ range, isForeign: false })),
    ...(written === current ? [] : differences(written, current)).map((range) => ({ range, isForeign: true })),
  ].sort((a, b) => a.range.start - b.range.start || a.range.end - b.range.end);
  const spots: { start: number; end: number; hunks: Range[]; foreign: Range[] }[] = [];
  for (const { range, isForeign } of all) {
    let spot = spots.at(-1);
    if (!spot || range.start > spot.end) {
      spot = { start: range.start, end: range.end, hunks: [], foreign: [] };
      spots.push(spot);
    }
    spot.end = Math.max(spot.end, range.end);
    (isForeign ? spot.foreign : spot.hunks).push(range);
  }
  return spots;
}

export function isMixed({ foreign }: Spot): boolean {
  return foreign.length > 0;
}

/**
 * Whether an edit reaches into a spot, so that it cannot be told from the agent's change. Lines right beside a change
 * can; not so lines that are put where the agent only deleted, nor what is right beside a mixed spot.
 */
export function reachesInto(edit: LineEdit, spot: Spot): boolean {
  const isBeside = edit.start <= spot.end && edit.end >= spot.start;
  if (!isBeside || isMixed(spot)) return isBeside;
  const isSamePoint = spot.start === spot.end && edit.start === edit.end;
  return isSamePoint || (edit.start < spot.end && edit.end > spot.start);
}
