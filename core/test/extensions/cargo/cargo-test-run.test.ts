import assert from "node:assert/strict";
import { TestRun, type TestSuite } from "../../../src/extensions/cargo/test-run.js";
import { formatTests, testCounts } from "../../../src/extensions/cargo/format-tests.js";

function read(text: string): readonly TestSuite[] {
  const run = new TestRun(() => undefined);
  run.start("src/lib.rs (kit)");
  for (const line of text.trim().split("\n")) run.line(line);
  run.close();
  return run.suites;
}

describe("TestRun", () => {
  it("takes what a test printed for output even where it looks like the harness's own words", () => {
    const suites = read(`
running 2 tests
test fails ... FAILED
test passes ... ok

failures:

---- fails stdout ----
---- passes stdout ----
failures:
  not a name
test result: ok. 9 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

thread 'fails' (7) panicked at src/lib.rs:3:5:
boom

failures:
    fails

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
`);
    assert.deepEqual(
      [testCounts(suites), suites[0]?.failures.map(({ name, place, message }) => [name, place, message])],
      ["1 passed, 1 failed", [["fails", "src/lib.rs:3:5", ["boom"]]]],
    );
  });

  it("finds the panic of a test whose output is not captured", () => {
    const suites = read(`
running 1 test
test fails ... hello

thread 'fails' (7) panicked at src/lib.rs:3:5:
assertion failed: ok
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace
FAILED

failures:

failures:
    fails

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
`);
    assert.deepEqual(formatTests(suites).lines, [
      "src/lib.rs (kit): 1 failed",
      "FAILED fails src/lib.rs:3:5: assertion failed: ok",
    ]);
  });

  it("reads panics in the form of Rust before 1.73", () => {
    const suites = read(`
running 1 test
test fails ... FAILED

failures:

---- fails stdout ----
thread 'fails' panicked at 'it''s broken', src/lib.rs:3:5
note: run with \`RUST_BACKTRACE=1\` environment variable to display a backtrace


failures:
    fails

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
`);
    assert.equal(formatTests(suites).lines[1], "FAILED fails src/lib.rs:3:5: it''s broken");
  });

  it("prefers the panic of the test's own thread to one of a thread that it started", () => {
    const suites = read(`
running 1 test
test fails ... FAILED

failures:

---- fails stdout ----

thread 'worker' (8) panicked at src/pool.rs:1:1:
inner

thread 'fails' (7) panicked at src/lib.rs:3:5:
outer


failures:
    fails

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
`);
    assert.deepEqual(formatTests(suites).lines.slice(1), [
      "FAILED fails src/lib.rs:3:5: outer",
      " output:",
      "  thread 'worker' (8) panicked at src/pool.rs:1:1:",
      "  inner",
    ]);
  });

  it("keeps a panic that is followed by a full backtrace and preceded by much output", () => {
    const story = Array.from({ length: 1_000 }, (_, index) => `line ${index}`).join("\n");
    const frames = Array.from({ length: 500 }, (_, index) => `  ${index}: f\n      at lib.rs:1:1`).join("\n");
    const suites = read(`
running 1 test
test fails ... FAILED

failures:

---- fails stdout ----
${story}

thread 'fails' (7) panicked at src/lib.rs:3:5:
boom
stack backtrace:
${frames}
note: Some details are omitted, run with \`RUST_BACKTRACE=full\` for a verbose backtrace.


failures:
    fails

test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
`);
    const { lines, leftOut } = formatTests(suites);
    assert.equal(lines[1], "FAILED fails src/lib.rs:3:5: boom");
    assert.ok(lines.includes("  … 984 lines left out …"), lines.join("\n"));
    // The title, the frames of two lines each, and the hint.
    assert.equal(leftOut, 1 + 1_000 + 1);
  });

  it("counts the tests that were told when a suite ends without a result", () => {
    const run = new TestRun(() => undefined);
    run.start("tests/it.rs (it)");
    for (const line of ["running 3 tests", "test a ... ok", "test b ... FAILED"]) run.line(line);
    run.ended("signal: 11, SIGSEGV: invalid memory reference");
    run.start("doc tests (it)");
    assert.deepEqual(formatTests(run.suites).lines, [
      "tests/it.rs (it): ended early (signal: 11, SIGSEGV: invalid memory reference, 2 of 3 tests done), 1 passed, 1 failed",
      "FAILED b",
    ]);
  });
});
