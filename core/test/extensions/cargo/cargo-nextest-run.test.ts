import assert from "node:assert/strict";
import { CargoTranscript } from "../../../src/extensions/cargo/cargo-transcript.js";
import { formatTests } from "../../../src/extensions/cargo/format-tests.js";
import { NextestRun } from "../../../src/extensions/cargo/nextest-run.js";

function linesOf(text: string): { readonly lines: readonly string[]; readonly progress: readonly string[] } {
  const progress: string[] = [];
  const run = new NextestRun((message) => progress.push(message));
  for (const line of text.split("\n")) run.line(line);
  run.close();
  return { lines: formatTests(run.suites).lines, progress };
}

describe("NextestRun", () => {
  it("tells how a test ended that did not fail by a panic", () => {
    const { lines } = linesOf(`    Starting 2 tests across 1 binary
        PASS [   0.005s] (1/2) abort tests::passes
     SIGABRT [   0.006s] (2/2) abort tests::takes_all_down
  stdout ───

    running 1 test
  stderr ───
    going down

    (test aborted with signal 6: SIGABRT)

────────────
     Summary [   0.007s] 2 tests run: 1 passed, 1 failed, 0 skipped
     SIGABRT [   0.006s] (2/2) abort tests::takes_all_down
error: test run failed`);
    assert.deepEqual(lines, [
      "abort: 1 passed, 1 failed",
      "FAILED tests::takes_all_down: SIGABRT",
      " output:",
      "  going down",
      "  ",
      "  (test aborted with signal 6: SIGABRT)",
    ]);
  });

  it("counts a test once that is slow, is tried again or leaks", () => {
    const { lines, progress } = linesOf(`    Starting 3 tests across 1 binary
        SLOW [> 60.000s] (───) a tests::slow
  TRY 1 FAIL [   0.004s] (───) a tests::flaky
   FLAKY 2/2 [   0.003s] (1/3) a tests::flaky
        LEAK [   0.104s] (2/3) a tests::leaks
     TIMEOUT [  61.000s] (3/3) a tests::slow
────────────
     Summary [  61.000s] 3 tests run: 2 passed (1 flaky, 1 leaky), 1 timed out, 0 skipped`);
    assert.deepEqual(lines, ["a: 2 passed, 1 failed", "FAILED tests::slow: TIMEOUT"]);
    assert.deepEqual(progress, ["1 of 3 tests", "2 of 3 tests", "3 of 3 tests"]);
  });

  it("says how far it was when nothing sums it up", () => {
    const { lines } = linesOf("    Starting 3 tests across 1 binary\n        PASS [   0.005s] (1/3) a tests::passes");
    assert.deepEqual(lines, ["a: ended early (no result, 1 of 3 tests done), 1 passed"]);
  });

  it("takes what a test prints for output even where it looks like nextest's own words", () => {
    const { lines } = linesOf(`    Starting 1 test across 1 binary
        FAIL [   0.005s] (1/1) a tests::fails
  stdout ───
         Summary [   0.1s] 9 tests run: 9 passed, 0 skipped

     Summary [   0.007s] 1 test run: 0 passed, 1 failed, 0 skipped`);
    assert.deepEqual(lines, [
      "a: 1 failed",
      "FAILED tests::fails",
      " output:",
      "       Summary [   0.1s] 9 tests run: 9 passed, 0 skipped",
    ]);
  });

  it("leaves what nextest says before the first test to cargo's words", () => {
    const transcript = new CargoTranscript("nextest", {
      log: () => undefined,
      progress: () => undefined,
      compiling: () => undefined,
    });
    const refusal = "error: creating test list failed\n\nCaused by:\n  it exited with exit code 2\n";
    transcript.push(`{"reason":"build-finished","success":true}\n${refusal}`);
    transcript.end();
    assert.deepEqual(transcript.notices.errors[0]?.lines, refusal.trimEnd().split("\n"));
  });
});
