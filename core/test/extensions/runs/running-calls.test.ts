import assert from "node:assert/strict";
import { RunningCalls } from "../../../src/base/runs/run.js";

/** Resolves with `aborted` once the signal is aborted. */
function untilAborted(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve("aborted");
    else signal.addEventListener("abort", () => resolve("aborted"), { once: true });
  });
}

describe("RunningCalls", () => {
  it("aborts a call with any of its signals, and no other call", async () => {
    await using calls = new RunningCalls();
    const [first, second] = [new AbortController(), new AbortController()];
    const ended = calls.run([new AbortController().signal, first.signal], untilAborted);
    let isOver = false;
    const other = calls.run([second.signal], untilAborted).then(() => (isOver = true));
    first.abort();
    assert.deepEqual([await ended, isOver], ["aborted", false]);
    second.abort();
    await other;
  });

  it("settles as the call does", async () => {
    await using calls = new RunningCalls();
    assert.equal(await calls.run([], () => Promise.resolve(7)), 7);
    await assert.rejects(
      calls.run([], () => Promise.reject(new Error("no disk"))),
      /no disk/,
    );
  });

  it("is disposed when all that it aborted has ended, however that went", async () => {
    const calls = new RunningCalls();
    const events: string[] = [];
    const running = calls.run([], async (signal) => {
      await untilAborted(signal);
      // Such as a process that takes its time to end.
      await new Promise((resolve) => setImmediate(resolve));
      events.push("gone");
      throw new Error("cancelled");
    });
    const failed = assert.rejects(running, /cancelled/);
    await calls[Symbol.asyncDispose]();
    events.push("disposed");
    await failed;
    assert.deepEqual(events, ["gone", "disposed"]);
    assert.equal(await calls.run([], untilAborted), "aborted");
  });
});
