import assert from "node:assert/strict";
import { membersOf, RestartPolicy } from "../../src/health/restart-policy.js";

describe("the restart policy", () => {
  it("allows four restarts in three minutes, and another one when the first end is three minutes ago", () => {
    let now = 0;
    const policy = new RestartPolicy(() => now);
    const allowed: boolean[] = [];
    for (let end = 0; end < 5; end++) {
      now = end * 1_000;
      policy.noteEnd();
      allowed.push(policy.isAllowed);
    }
    const waitMs = policy.waitMs;
    now += waitMs;
    assert.deepEqual(
      { allowed, waitMs, later: policy.isAllowed },
      { allowed: [true, true, true, true, false], waitMs: 176_000, later: true },
    );
  });
});

describe("the memory of a process tree", () => {
  it("is that of the group and of all descendants, in groups of their own too", () => {
    const entry = (pid: number, parent: number, group: number): { pid: number; parent: number; group: number } => ({
      pid,
      parent,
      group,
    });
    const table = [entry(7, 6, 7), entry(1, 0, 1), entry(5, 1, 5), entry(6, 5, 5), entry(8, 1, 8), entry(9, 1, 5)];
    assert.deepEqual([...membersOf(table, 5)].sort(), [5, 6, 7, 9]);
  });
});
