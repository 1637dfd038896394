import type { Checkpoints } from "../restore/checkpoints.js";
import type { DocumentTexts } from "../files/document-texts.js";
import type { FileText } from "../hunks/file-review.js";
import { parseOpaque } from "../hunks/opaque-text.js";
import type { LeftTurns } from "../turns/open-turns-file.js";
import type { RestoredFiles } from "../restore/restored-files.js";
import type { ReviewBook } from "../review-book.js";
import type { ReviewState } from "./stored-review.js";
import { type FoundChange, SnapshotTurn } from "../turns/snapshot-turn.js";

/** After its window was killed an agent goes on for no longer than this. */
const maxAfterlifeMs = 10_000;

export interface RestartedReview {
  readonly book: ReviewBook;
  readonly checkpoints: Checkpoints;
  readonly restored: Pick<RestoredFiles, "load">;
  readonly texts: Pick<DocumentTexts, "truth"> & Parameters<typeof SnapshotTurn.resumed>[2];
  readonly snapshots: Parameters<typeof SnapshotTurn.resumed>[1];
  readonly record: (tabId: string, path: string, before: FileText, after: FileText) => void;
  /** The window closes, and with it the snapshots that tell what was changed. */
  readonly isClosing: () => boolean;
}

type LeftChange = FoundChange & { readonly tabId: string };

/** What was changed in turns of which their window did not see the end. */
interface LeftChanges {
  /** By path. */
  readonly changed: ReadonlyMap<string, LeftChange>;
  /** So many more files are different, which were too many to look at. */
  readonly unseen: number;
}

/**
 * Finds what was changed in the turns that were left, which may take long, after the prompts of their tabs are taken up. To be
 * taken in with {@link takeIn}; until then nothing is under review.
 */
export async function findLeft(
  { reviews, checkpoints, restores }: ReviewState,
  left: LeftTurns | undefined,
  review: RestartedReview,
): Promise<LeftChanges> {
  for (const [tabId, stored] of Object.entries(checkpoints)) review.checkpoints.restore(tabId, stored);
  review.restored.load(restores);
  for (const { path, baseline, current } of reviews)
    if ([baseline, current].some((text) => parseOpaque(text)?.kind === "link")) review.texts.asLink(path);
  return changesOf(left, review);
}

/**
 * Takes up what was under review when a window was last open, with what was found of its turns. Resolves with the number of
 * files that are different besides and were too many to look at; with undefined where the window closes: then nothing is
 * taken up, and the next window begins with the same.
 */
export async function takeIn(
  reviews: ReviewState["reviews"],
  { changed, unseen }: LeftChanges,
  review: RestartedReview,
): Promise<number | undefined> {
  if (review.isClosing()) return undefined;
  for (const stored of reviews) {
    const found = changed.get(stored.path);
    const isOtherText = found !== undefined && found.before !== found.after;
    const { text, attributes, changedAtMs } = await review.texts.look(stored.path);
    // What cannot be read now is under review as it was: nobody has answered it.
    review.book.restore(stored, isOtherText || text === undefined ? stored.current : text);
    if (attributes) review.book.attributesLearned(stored.path, attributes, changedAtMs);
  }
  for (const { tabId, path, before, after, attributes } of changed.values()) {
    if (before !== after) review.record(tabId, path, review.book.current(path) ?? before, after);
    if (attributes) review.book.attributesChanged(tabId, path, after, attributes);
  }
  return unseen;
}

async function changesOf(
  left: LeftTurns | undefined,
  { checkpoints, snapshots, texts }: RestartedReview,
): Promise<LeftChanges> {
  const changed = new Map<string, LeftChange>();
  let unseen = 0;
  for (const { tabId, messageId, startedAtMs, begun, others } of left?.turns ?? []) {
    checkpoints.promptStarted(tabId, messageId);
    const isOfOthers = (path: string): boolean => others.includes(path);
    const end = await SnapshotTurn.resumed(begun, snapshots, texts).end(isOfOthers, isOfOthers);
    unseen += end.unseen;
    for (const found of end.found) {
      const { writtenAtMs = startedAtMs } = await texts.truth(found.path);
      const isAfter = writtenAtMs > (left?.aliveAtMs ?? 0) + maxAfterlifeMs;
      if (!isAfter) changed.set(found.path, { ...found, tabId });
    }
  }
  return { changed, unseen };
}
