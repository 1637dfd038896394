import assert from "node:assert/strict";
import { Checkpoints } from "../../../src/features/review/restore/checkpoints.js";
import { RestoredFiles } from "../../../src/features/review/restore/restored-files.js";
import { ReviewAnswers } from "../../../src/features/review/review-answers.js";
import { ReviewBook } from "../../../src/features/review/review-book.js";
import { findLeft, type RestartedReview, takeIn } from "../../../src/features/review/store/restore-review.js";
import { World } from "./review-world.js";

describe("what a window takes up of the one before it", () => {
  const left = {
    aliveAtMs: 2,
    turns: [{ tabId: "tab", messageId: "1", startedAtMs: 1, begun: [{ root: "/work", id: "1" }], others: [] }],
  };
  const stored = {
    reviews: [{ path: "/work/a.txt", tabIds: ["tab"], baseline: "one", current: "two" }],
    checkpoints: {},
    restores: {},
    comments: [],
  };

  async function takeUpWith(isClosing: () => boolean, onDisk: string | undefined): Promise<readonly unknown[]> {
    const book = new ReviewBook();
    const review: RestartedReview = {
      book,
      checkpoints: new Checkpoints(),
      restored: new RestoredFiles(new ReviewAnswers(book, new World(), () => undefined), () => undefined),
      texts: {
        truth: () => Promise.resolve({ text: onDisk, isTorn: false, writtenAtMs: 1 }),
        look: () => Promise.resolve({ text: onDisk, writtenAtMs: 1 }),
        asLink: () => undefined,
        wasMarked: () => undefined,
      },
      snapshots: {
        take: (root) => Promise.resolve({ root, id: "2" }),
        changesSince: () => Promise.resolve([{ path: "new.txt", before: "absent", after: "absent" }]),
        content: () => Promise.resolve(undefined),
      },
      record: (...change) => book.agentChanged(...change),
      isClosing,
    };
    const unseen = await takeIn(stored.reviews, await findLeft(stored, left, review), review);
    const files = book.files().map(({ path, review }) => [path, review.baseline, review.current]);
    return [unseen, files];
  }

  it("is what was under review, and what the turns changed whose ends that one did not see", async () => {
    const files = [
      ["/work/a.txt", "one", "two"],
      ["/work/new.txt", null, "two"],
    ];
    assert.deepEqual(await takeUpWith(() => false, "two"), [0, files]);
  });

  it("is nothing where it closes before it knows what was changed", async () => {
    assert.deepEqual(await takeUpWith(() => true, "two"), [undefined, []]);
  });
});
