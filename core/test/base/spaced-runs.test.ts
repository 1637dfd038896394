import assert from "node:assert/strict";
import { setImmediate as others } from "node:timers/promises";
import { SpacedRuns } from "../../src/base/spaced-runs.js";

describe("SpacedRuns", () => {
  const longMs = 2 ** 30;

  it("runs a first request at once, and those that follow it together after the pause", async () => {
    let runs = 0;
    let begin: () => void = () => undefined;
    const second = new Promise<void>((resolve) => (begin = resolve));
    const spaced = new SpacedRuns(() => {
      if (++runs === 2) begin();
      return Promise.resolve();
    }, 1);
    spaced.request();
    const first = runs;
    for (let index = 0; index < 5; index++) spaced.request();
    await second;
    await spaced.settled();
    assert.deepEqual([first, runs], [1, 2]);
  });

  it("runs what was requested during a run or a pause when it is settled, without the pause", async () => {
    let runs = 0;
    const spaced = new SpacedRuns(() => Promise.resolve(void runs++), longMs);
    spaced.request();
    spaced.request();
    await others();
    const paused = runs;
    await spaced.settled();
    spaced.request();
    await spaced.settled();
    await spaced.settled();
    assert.deepEqual([paused, runs], [1, 3]);
  });
});
