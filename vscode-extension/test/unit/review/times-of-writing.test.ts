import assert from "node:assert/strict";
import { TurnWork } from "../../../src/features/review/turns/times-of-writing.js";

describe("when an agent may have written in a turn", () => {
  function heard(...calls: readonly (readonly [id: string, kind: string, status: string, atMs: number])[]): TurnWork {
    const work = new TurnWork(1_000);
    for (const [id, kind, status, atMs] of calls) work.note({ id, kind, status }, atMs);
    return work;
  }

  it("is while its tool calls run", () => {
    const work = heard(["1", "execute", "pending", 2_000], ["1", "execute", "completed", 3_000]);
    const times = [1_500, 2_500, 3_500];
    assert.deepEqual(
      times.map((timeMs) => [work.mayHaveWrittenAt(timeMs), work.cannotHaveWrittenAt(timeMs)]),
      [
        [false, true],
        [true, false],
        [false, true],
      ],
    );
  });

  it("is any time since the turn began where a call is first heard of when it is over", () => {
    assert.equal(heard(["1", "execute", "completed", 3_000]).mayHaveWrittenAt(1_500), true);
  });

  it("is not while it only looks, and nothing is said of files from before the turn", () => {
    const work = heard(["1", "read", "in_progress", 2_000]);
    const { hasBegun, isGoingOn } = work;
    assert.deepEqual(
      [hasBegun, isGoingOn, work.mayHaveWrittenAt(2_500), work.cannotHaveWrittenAt(500)],
      [false, false, false, false],
    );
  });
});
