import type { Checkpoints } from "../restore/checkpoints.js";
import type { OpenDocuments } from "../files/open-documents.js";
import type { FileText } from "../hunks/file-review.js";
import { parseOpaque } from "../hunks/opaque-text.js";
import type { LeftTurns } from "../turns/open-turns-file.js";
import type { RestoredFiles } from "../restore/restored-files.js";
import type { ReviewBook } from "../review-book.js";
import type { ReviewState } from "./stored-review.js";
import { type FoundChange, SnapshotTurn } from "../turns/snapshot-turn.js";

/** Maximum time that an agent continues after its window was killed. */
const maxAfterlifeMs = 10_000;

export interface RestartedReview {
  readonly book: ReviewBook;
  readonly checkpoints: Checkpoints;
  readonly restored: Pick<RestoredFiles, "load">;
  readonly texts: Pick<OpenDocuments, "truth"> & Parameters<typeof SnapshotTurn.resumed>[2];
  readonly snapshots: Parameters<typeof SnapshotTurn.resumed>[1];
  readonly record: (tabId: string, path: string, before: FileText, after: FileText) => void;
  /** Returns whether the window is closing, which also ends the snapshots needed to find changes. */
  readonly isClosing: () => boolean;
}

type LeftChange = FoundChange & { readonly tabId: string };

interface LeftChanges {
  readonly changed: ReadonlyMap<string, LeftChange>;
  readonly unseen: number;
}

/**
 * Restores the tabs' prompts, then finds changes of interrupted turns, which can take long. The changes are under review only after {@link
 * takeIn}.
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
 * Restores a stored review together with the found changes. Returns the number of changed files beyond the inspection limit, or undefined
 * if the window closes first; nothing is then restored, and the next window tries again.
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
    // A file that can't be read stays under review with its stored text.
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
