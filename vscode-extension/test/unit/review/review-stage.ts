import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AllChanges } from "../../../src/features/review/all-changes/find-unreported-changes.js";
import type { ReviewBook } from "../../../src/features/review/review-book.js";
import { Snapshots } from "../../../src/features/snapshots/snapshots.js";

const script = fileURLToPath(new URL("../../../src/features/snapshots/snapshot-worker.js", import.meta.url));

/** Real snapshots whose stores are below `base`; a problem fails the test. */
export function snapshotsIn(base: string): Snapshots {
  const onProblem = (reason: string): never => assert.fail(reason);
  return new Snapshots({ stores: join(base, "stores"), script, isWanted: () => true, included: () => [], onProblem });
}

/** All changes go into `book`, and no agent of ours has a turn. */
export function reviewWithoutTurns(book: ReviewBook): ConstructorParameters<typeof AllChanges>[0]["review"] {
  return {
    alone: (_path, work) => work(),
    current: (path) => book.current(path),
    hasTurn: false,
    stored: () => Promise.resolve(true),
    mayBeOfTurn: () => false,
    settled: () => Promise.resolve(),
    changed: (writer, path, before, after) => book.agentChanged(writer, path, before, after),
    attributesChanged: (...change) => book.attributesChanged(...change),
    unseen: (count) => assert.equal(count, 0),
  };
}
