import assert from "node:assert/strict";
import { mock } from "node:test";
import { StallClock } from "../../../src/base/node/stall-clock.js";

describe("StallClock", () => {
  let progress: number | undefined;
  let stalls: number[];
  let clock: StallClock;

  beforeEach(() => {
    mock.timers.enable({ apis: ["setInterval"] });
    progress = undefined;
    stalls = [];
    clock = new StallClock({ timeoutMs: 100, progress: () => progress, stalled: (ms) => stalls.push(ms) });
  });

  afterEach(() => {
    clock[Symbol.dispose]();
    mock.timers.reset();
  });

  const pass = (ms: number): void => {
    for (let passed = 0; passed < ms; passed += 5) mock.timers.tick(5);
  };

  it("reports missing progress once", () => {
    progress = 7;
    pass(1_000);
    assert.deepEqual(stalls, [100]);
  });

  it("reports nothing while there is progress or none is expected", () => {
    for (let i = 0; i < 20; i++) {
      progress = i % 2 === 0 ? i : undefined;
      pass(75);
    }
    assert.deepEqual(stalls, []);
  });

  it("counts from zero after a restart", () => {
    progress = 7;
    for (let i = 0; i < 5; i++) {
      pass(75);
      clock.restart();
    }
    assert.deepEqual(stalls, []);
  });
});
