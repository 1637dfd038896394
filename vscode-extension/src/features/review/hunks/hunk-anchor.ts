import * as z from "zod/mini";
import type { FileReview, FileText } from "./file-review.js";
import { type Hunk, partsOfId, splitLines } from "./hunks.js";
import { movedLine } from "./moved-line.js";

/** Anchor that ties an item to a change. Positions distinguish changes with equal lines. */
export const hunkAnchorSchema = z.object({
  id: z.string(),
  offset: z.number(),
  /** First line of the change in the baseline, 0-based. */
  baseStart: z.optional(z.number()),
  /** True once the change was answered or modified; an equal change elsewhere is then a different change. */
  isGone: z.optional(z.boolean()),
});

type HunkAnchor = z.infer<typeof hunkAnchorSchema>;

/** Texts that an anchor's positions refer to. */
export interface AnchoredTexts {
  readonly baseline: FileText;
  readonly current: FileText;
}

interface Anchored {
  readonly hunk: HunkAnchor;
  readonly start: number;
}

export function anchorOf(hunk: Hunk, line: number): HunkAnchor {
  return { id: hunk.id, offset: line - hunk.start, baseStart: hunk.baseStart };
}

/**
 * Returns the anchor's position in the new texts, on the same change if it still exists. `before` is undefined if the earlier texts are
 * unknown.
 */
export function followed(
  { hunk, start }: Anchored,
  before: AnchoredTexts | undefined,
  now: Pick<FileReview, "hunks" | "baseline" | "current">,
): Anchored {
  const { id, offset, baseStart: knownBase } = hunk;
  const isBaseSame = before?.baseline === now.baseline;
  const isCurrentSame = before?.current === now.current;
  if (isBaseSame && isCurrentSame) return { hunk, start };
  const baseStart = before && knownBase !== undefined ? moved(knownBase, before.baseline, now.baseline) : knownBase;
  const first = before ? moved(start - offset, before.current, now.current) : start - offset;
  const { content, count, all } = partsOfId(id);
  const equal = now.hunks.filter((one) => partsOfId(one.id).content === content);
  const isAtBase = (one: Hunk): boolean => one.baseStart === baseStart;
  const isAtLine = (one: Hunk): boolean => one.start === first;
  const byPlace = (): Hunk | undefined => {
    // An answer modifies only one of the two texts, so the position in the unmodified text identifies the change.
    if (isCurrentSame) return equal.find(isAtLine);
    if (isBaseSame) return equal.find(isAtBase);
    const exact = equal.find((one) => isAtBase(one) && isAtLine(one));
    return exact ?? (hunk.isGone === true ? undefined : (equal.find(isAtLine) ?? equal.find(isAtBase)));
  };
  // If all equal changes still exist, their order is unchanged.
  const inOrder = hunk.isGone !== true && equal.length === all ? equal[count - 1] : undefined;
  const found = (before && byPlace()) ?? inOrder;
  if (found) return { hunk: anchorOf(found, found.start + offset), start: found.start + offset };
  return { hunk: { id, offset, ...(baseStart !== undefined && { baseStart }), isGone: true }, start: first + offset };
}

/** Returns a line's new position; unchanged if a text is null. */
function moved(line: number, before: FileText, now: FileText): number {
  return before === now || before === null || now === null
    ? line
    : movedLine(line, splitLines(before), splitLines(now));
}
