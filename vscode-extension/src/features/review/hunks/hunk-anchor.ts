import * as z from "zod/mini";
import type { FileReview, FileText } from "./file-review.js";
import { type Hunk, partsOfId, splitLines } from "./hunks.js";
import { movedLine } from "./moved-line.js";

/** The change that something is on. Equal changes are told apart by their places. */
export const hunkAnchorSchema = z.object({
  id: z.string(),
  /** How many lines below its first one. */
  offset: z.number(),
  /** Its first line in the text without the changes, 0-based. */
  baseStart: z.optional(z.number()),
  /** It was answered, or changed: an equal one elsewhere is another. */
  isGone: z.optional(z.boolean()),
});

type HunkAnchor = z.infer<typeof hunkAnchorSchema>;

/** The texts that the places of an anchor are about. */
export interface AnchoredTexts {
  readonly baseline: FileText;
  readonly current: FileText;
}

/** Where an anchor stands: `start` is the line in the file. */
interface Anchored {
  readonly hunk: HunkAnchor;
  readonly start: number;
}

export function anchorOf(hunk: Hunk, line: number): HunkAnchor {
  return { id: hunk.id, offset: line - hunk.start, baseStart: hunk.baseStart };
}

/** Where it stands now that the texts are others, with its change where that is still there. `before` is undefined where not known. */
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
    // An answer leaves one of the texts as it is, and in that one each change has its place.
    if (isCurrentSame) return equal.find(isAtLine);
    if (isBaseSame) return equal.find(isAtBase);
    const exact = equal.find((one) => isAtBase(one) && isAtLine(one));
    return exact ?? (hunk.isGone === true ? undefined : (equal.find(isAtLine) ?? equal.find(isAtBase)));
  };
  // Where all are still there, they have moved together.
  const inOrder = hunk.isGone !== true && equal.length === all ? equal[count - 1] : undefined;
  const found = (before && byPlace()) ?? inOrder;
  if (found) return { hunk: anchorOf(found, found.start + offset), start: found.start + offset };
  return { hunk: { id, offset, ...(baseStart !== undefined && { baseStart }), isGone: true }, start: first + offset };
}

/** Where a line has moved to; what is no text has but one place. */
function moved(line: number, before: FileText, now: FileText): number {
  return before === now || before === null || now === null
    ? line
    : movedLine(line, splitLines(before), splitLines(now));
}
