import type { Checkpoints } from "./checkpoints.js";
import type { DocumentTexts } from "./document-texts.js";
import type { FileText } from "./engine/file-review.js";
import { parseOpaque } from "./engine/opaque-text.js";
import type { LeftTurns } from "./open-turns.js";
import type { RestoredFiles } from "./restored-files.js";
import type { ReviewBook } from "./review-book.js";
import type { ReviewState } from "./review-store.js";
import { type FoundChange, SnapshotTurn } from "./snapshot-turn.js";

/** After its window was killed an agent goes on for no longer than this. */
const maxAfterlifeMs = 10_000;

interface RestartedReview {
  readonly book: ReviewBook;
  readonly checkpoints: Checkpoints;
  readonly restored: RestoredFiles;
  readonly texts: DocumentTexts;
  readonly snapshots: Parameters<typeof SnapshotTurn.resumed>[1];
  readonly record: (tabId: string, path: string, before: FileText, after: FileText) => void;
}

type LeftChange = FoundChange & { readonly tabId: string };

/**
 * Takes up what was under review when the window was last open, and what was changed in turns of which it did not see
 * the end. Resolves with the number of files that are different besides and were too many to look at.
 */
export async function takeUp(
  { reviews, checkpoints, restores }: ReviewState,
  left: LeftTurns | undefined,
  review: RestartedReview,
): Promise<number> {
  for (const [tabId, stored] of Object.entries(checkpoints)) review.checkpoints.restore(tabId, stored);
  review.restored.load(restores);
  for (const { path, baseline, current } of reviews)
    if ([baseline, current].some((text) => parseOpaque(text)?.kind === "link")) review.texts.asLink(path);
  const { changed, unseen } = await changesOf(left, review);
  for (const stored of reviews) {
    const now = changed.has(stored.path) ? stored.current : await review.texts.read(stored.path);
    if (now !== undefined) review.book.restore(stored, now);
  }
  for (const { tabId, path, before, after } of changed.values())
    review.record(tabId, path, review.book.current(path) ?? before, after);
  return unseen;
}

/** By path, what agents changed in the turns that were left. */
async function changesOf(
  left: LeftTurns | undefined,
  { checkpoints, snapshots, texts }: RestartedReview,
): Promise<{ readonly changed: ReadonlyMap<string, LeftChange>; readonly unseen: number }> {
  const changed = new Map<string, LeftChange>();
  let unseen = 0;
  for (const { tabId, messageId, startedAtMs, begun, others } of left?.turns ?? []) {
    checkpoints.promptStarted(tabId, messageId);
    const end = await SnapshotTurn.resumed(begun, snapshots, texts).end((path) => others.includes(path));
    unseen += end.unseen;
    for (const found of end.found) {
      const { writtenAtMs = startedAtMs } = await texts.truth(found.path);
      const isAfter = writtenAtMs > (left?.aliveAtMs ?? 0) + maxAfterlifeMs;
      if (!isAfter) changed.set(found.path, { ...found, tabId });
    }
  }
  return { changed, unseen };
}
