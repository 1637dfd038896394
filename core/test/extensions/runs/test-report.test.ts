import assert from "node:assert/strict";
import { formatTestRun } from "../../../src/extensions/runs/format-test-report.js";
import { readGoTest } from "../../../src/extensions/runs/go-test-events.js";
import { readTestEvents, type TestReport } from "../../../src/extensions/runs/test-report.js";

const lines = (...events: readonly object[]): string => events.map((event) => `${JSON.stringify(event)}\n`).join("");
const begin = { event: "begin", runner: "vitest", version: "5.1.1" };
const pass = { event: "pass", name: "a" };
const failure = {
  event: "fault",
  kind: "test",
  name: "cart > adds",
  file: "/w/src/cart.test.ts",
  line: 12,
  message: "expected 3 to be 4",
  stack:
    "    at adds (/w/src/cart.test.ts:12:3)\n    at total (/w/src/cart.ts:8:1)\n    at run (/w/node_modules/vitest/x.js:1:1)",
  output: "cache: stale",
};
const raw = "x".repeat(5_000);

function shown(report: TestReport | undefined, code: number | null, more: object = {}): string {
  const exit = { code, signal: code === null ? "SIGKILL" : null, durationMs: 1, ...more };
  return formatTestRun(report, { name: "npm test", exit, handle: "t1", folder: "/w", timeoutMs: 2_000, raw }).text;
}

describe("a report of tests", () => {
  it("is one short line where all is well", () => {
    const report = readTestEvents(lines(begin, pass, pass, { event: "skip", name: "b" }, { event: "end" }));
    assert.equal(shown(report, 0), "vitest 5.1.1: 2 passed, 1 skipped");
  });

  it("tells of a failure its place, test, message, own calls and output", () => {
    const report = readTestEvents(lines(begin, pass, failure, { event: "end" }));
    assert.equal(
      shown(report, 1),
      [
        "vitest 5.1.1: 1 failed, 1 passed, exit 1 [t1]",
        "1) src/cart.test.ts:12 cart > adds",
        " expected 3 to be 4",
        " at total (src/cart.ts:8:1)",
        " printed: cache: stale",
      ].join("\n"),
    );
  });

  it("says what was compared where neither message nor difference does, and each output once", () => {
    const compared = { ...failure, message: "not equal", expected: "[1]", actual: "[2]", stack: "" };
    const report = readTestEvents(lines(begin, compared, { ...compared, name: "other" }, { event: "end" }));
    const text = shown(report, 1);
    assert.match(text, /not equal\n expected: \[1\]\n actual: \[2\]\n printed: cache: stale\n2\)/);
    assert.match(text, /printed: as 1\)$/);
  });

  it("is never green where the exit code is not, nor silent where code and report disagree", () => {
    const green = readTestEvents(lines(begin, pass, { event: "end" }));
    assert.match(shown(green, 1), /^vitest 5\.1\.1: 1 passed, exit 1, but the report lists no failure \[t1\]\nxxx/);
    const red = readTestEvents(lines(begin, failure, { event: "end" }));
    assert.match(shown(red, 0), /^vitest 5\.1\.1: 1 failed, exit 0, but the report lists failures \[t1\]/);
    assert.match(shown(readTestEvents(lines(begin, { event: "end" })), 0), /no test ran/);
  });

  it("names the test that was running where the run left, and shows what it wrote", () => {
    const report = readTestEvents(`${lines(begin, pass, { event: "start", name: "leaves" })}{"event":"fau`);
    const text = shown(report, null);
    assert.match(text, /^vitest 5\.1\.1: 1 passed, ended by SIGKILL, stopped in leaves \[t1\]\nxxx/);
    assert.match(shown(report, null, { endedBy: "timeout" }), /timed out after 2 s, stopped in leaves/);
    const begun = readTestEvents(lines(begin));
    assert.match(shown(begun, 0), /^vitest 5\.1\.1: exit 0, did not finish \[t1\]\nxxx/);
    const open = readTestEvents(lines(begin, pass, { event: "end" }));
    assert.match(
      shown(open, null, { endedBy: "timeout" }),
      /1 passed, timed out after 2 s although all tests had finished: something/,
    );
  });

  it("gives verdict and raw output where no reporter has begun", () => {
    assert.equal(readTestEvents(""), undefined);
    assert.match(shown(undefined, 2), /^npm test: exit 2, without a report \[t1\]\nxxx/);
    assert.match(
      shown(undefined, null, { startError: "ENOENT" }),
      /^npm test: it could not be started \(ENOENT\), without a report/,
    );
  });

  it("has tests that fail of the same thing as one, with the names of all", () => {
    const hook = { ...failure, line: 3, message: "database is not up", output: "" };
    const one = (name: string, line: number): object => ({ ...hook, name, line });
    const report = readTestEvents(lines(begin, one("opens", 7), one("closes", 8), failure, { event: "end" }));
    const said = shown(report, 1).split("\n");
    assert.deepEqual(
      said.filter((line) => /^\d/.test(line)),
      ["1-2) src/cart.test.ts:12 opens; closes", "3) src/cart.test.ts:12 cart > adds"],
    );
  });

  it("leaves out of an excerpt of the source what can be read in it, and what a difference says again", () => {
    const syntax = {
      ...{ kind: "load", file: "/w/a.test.js", name: "/w/a.test.js", stack: "", line: undefined },
      message: "/w/a.test.js: Unexpected token (3:8)\n  2 | it();\n> 3 |   const = 1;\n    |         ^\n  4 |",
    };
    const same = { ...failure, stack: "", message: "expected 3 to be 4", diff: "- Expected\n+ Received\n\n- 4\n+ 3" };
    const report = readTestEvents(
      lines(begin, { ...syntax, event: "fault" }, { ...same, output: "" }, { event: "end" }),
    );
    assert.deepEqual(shown(report, 1).split("\n").slice(1), [
      "1) a.test.js:3 (load)",
      " /w/a.test.js: Unexpected token (3:8)",
      " > 3 |   const = 1;",
      "2) src/cart.test.ts:12 cart > adds",
      " expected 3 to be 4",
    ]);
  });

  it("shows of what a runner wrote what no report has", () => {
    const wrote = "\n RUN  v5.1.1 /w\n  ✔ adds\nPASS a.test.js\nlistening on 4000\n";
    const exit = { code: 3, signal: null, durationMs: 1 };
    const facts = { name: "", exit, handle: "t1", folder: "/w", timeoutMs: 1, raw: wrote };
    const { text } = formatTestRun(readTestEvents(lines(begin, pass)), facts);
    assert.equal(text, "vitest 5.1.1: 1 passed, exit 3, did not finish [t1]\nlistening on 4000");
  });

  it("is never much longer than what the runner wrote", () => {
    const report = readTestEvents(lines(begin, { ...failure, message: "m\n".repeat(500) }, { event: "end" }));
    const exit = { code: 1, signal: null, durationMs: 1 };
    const facts = { name: "", exit, handle: "t1", folder: "/w", timeoutMs: 1, raw: "1) m, in short" };
    assert.equal(formatTestRun(report, facts).text, "vitest 5.1.1: 1 failed, exit 1 [t1]\n1) m, in short");
  });

  it("keeps what failed where the runner was ended before it said why", () => {
    const report = readTestEvents(lines(begin, { ...failure, stack: "", message: "no rate for CHF\n".repeat(20) }));
    const exit = { code: null, signal: "SIGKILL", durationMs: 1, endedBy: "timeout" } as const;
    const facts = { name: "", exit, handle: "t1", folder: "/w", timeoutMs: 2_000, raw: "✖ adds (1ms)\n" };
    const { text } = formatTestRun(report, facts);
    assert.match(
      text,
      /^vitest 5\.1\.1: 1 failed, timed out after 2 s, .*\n1\) src\/cart\.test\.ts:12 cart > adds\n no rate for CHF\n/,
    );
  });

  it("keeps the name of what failed without words where the runner was ended before it said so", () => {
    const report = readTestEvents(lines(begin, { ...failure, stack: "", message: "" }));
    const exit = { code: null, signal: "SIGKILL", durationMs: 1, endedBy: "timeout" } as const;
    const facts = { name: "", exit, handle: "t1", folder: `/w/${"deep/".repeat(40)}`, timeoutMs: 2_000, raw: "." };
    const { text } = formatTestRun(report, facts);
    assert.match(text, /\n1\) .*cart > adds\n/);
  });

  it("has why a process ran out of memory, not where in Node", () => {
    const calls = Array.from({ length: 40 }, (_one, index) => ` ${index}: 0x10e91f1 v8::internal::Heap [node]`);
    const reason = "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory";
    const collected = Array.from({ length: 6 }, () => "[1:0x2] 1086 ms: Mark-Compact 59.1 (93.0) MB");
    const written = [...collected, reason, "----- Native stack trace -----", ...calls].join("\n");
    const exit = { code: 1, signal: null, durationMs: 1 };
    const facts = { name: "", exit, handle: "t1", folder: "/w", timeoutMs: 1, raw: written };
    const { text } = formatTestRun(readTestEvents(lines(begin)), facts);
    assert.match(text, /FATAL ERROR: Reached heap limit/);
    assert.doesNotMatch(text, /v8::internal/);
  });

  it("has coverage that is too low as what a run failed by whose tests all passed, with the figure also below a long table", () => {
    const report = readTestEvents(lines(begin, { event: "pass", name: "adds" }, { event: "end" }));
    const exit = { code: 1, signal: null, durationMs: 1 };
    const said = "ERROR: Coverage for lines (20%) does not meet global threshold (90%)";
    const table = "a.js |  100 |\n".repeat(50);
    const facts = { name: "", exit, handle: "t1", folder: "/w", timeoutMs: 1, raw: `${table}${said}\n${table}` };
    const { text } = formatTestRun(report, facts);
    assert.match(text, /^vitest 5\.1\.1: 1 passed, exit 1 because coverage is too low \[t1\]\n/);
    assert.ok(text.includes(`\nnote: ${said}\n`));
  });

  it("has coverage that is too low beside tests that failed, as six tools say it", () => {
    const report = readTestEvents(lines(begin, failure, { event: "end" }));
    const exit = { code: 1, signal: null, durationMs: 1 };
    const said = [
      "ERROR: Coverage for lines (20%) does not meet global threshold (90%)",
      'Jest: "global" coverage threshold for lines (90%) not met: 50%',
      "Error: 83.33% line coverage does not meet threshold of 90%.",
      "FAIL Required test coverage of 90% not reached. Total coverage: 50.00%",
      "ERROR: Coverage failure: total of 67 is less than fail-under=90",
    ];
    for (const line of said) {
      const facts = { name: "", exit, handle: "t1", folder: "/w", timeoutMs: 1, raw: `${raw}\nℹ ${line}\n` };
      assert.equal(formatTestRun(report, facts).text.split("\n").at(-1), `note: ${line}`);
    }
  });

  it("names the file whose process left where it told of none of its tests", () => {
    const file = { event: "start", name: "/w/a.test.js" };
    const other = { event: "start", name: "/w/b.test.js" };
    const left = { event: "left", name: "/w/b.test.js" };
    const test = { event: "start", name: "spins", file: "/w/a.test.js" };
    assert.match(shown(readTestEvents(lines(begin, file, other, left)), 1), /exit 1, stopped in a\.test\.js \[t1\]/);
    assert.match(shown(readTestEvents(lines(begin, file, test)), 1), /exit 1, stopped in spins \(a\.test\.js\) \[t1\]/);
  });

  it("bounds what is long with the number that is left out, and has it whole in the detail", () => {
    const long = Array.from({ length: 100 }, (_, index) => `line ${index}`).join("\n");
    const report = readTestEvents(lines(begin, { ...failure, message: long, output: "" }, { event: "end" }));
    const exit = { code: 1, signal: null, durationMs: 1 };
    const { text, details } = formatTestRun(report, { name: "", exit, handle: "t1", folder: "/w", timeoutMs: 1, raw });
    assert.match(text, /line 19\n … 74 lines left out …\n line 94/);
    assert.match(details[0]?.() ?? "", /line 50/);
  });
});

describe("what go test tells", () => {
  const folderOf = (path: string): string => path.replace(/^m\.example\/?/, "");
  const output = (text: string, test?: string): object => ({
    ...{ Action: "output", Package: "m.example/cart", Output: text },
    ...(test !== undefined && { Test: test }),
  });

  it("has each failure once, at the leaves, with its place", () => {
    const text = lines(
      { Action: "run", Package: "m.example/cart", Test: "TestSum" },
      output("=== RUN   TestSum\n", "TestSum"),
      output("    cart_test.go:9: got 3, want 4\n", "TestSum/two"),
      output("        more\n", "TestSum/two"),
      { Action: "fail", Package: "m.example/cart", Test: "TestSum/two" },
      { Action: "fail", Package: "m.example/cart", Test: "TestSum" },
      { Action: "pass", Package: "m.example/cart", Test: "TestOther" },
      { Action: "skip", Package: "m.example/cart", Test: "TestLater" },
      { Action: "fail", Package: "m.example/cart" },
    );
    assert.deepEqual(readGoTest(text, folderOf), {
      runner: "go test",
      counts: { passed: 1, failed: 1, skipped: 1, todo: 0, xfailed: 0, xpassed: 0, cancelled: 0 },
      faults: [
        {
          kind: "test",
          name: "TestSum/two",
          file: "cart/cart_test.go",
          line: 9,
          message: "got 3, want 4\n    more",
          stack: "",
          output: "",
        },
      ],
      notices: [],
      isComplete: true,
      running: [],
    });
  });

  it("has packages that do not build, and those that end outside of a test", () => {
    const text = lines(
      { Action: "build-output", ImportPath: "m.example/bad", Output: "# m.example/bad\n" },
      { Action: "build-output", ImportPath: "m.example/bad", Output: "bad/bad.go:3:5: undefined: x\n" },
      { Action: "build-fail", ImportPath: "m.example/bad" },
      { Action: "fail", Package: "m.example/bad", FailedBuild: "m.example/bad" },
      output("exit status 3\n"),
      { Action: "fail", Package: "m.example/cart" },
    );
    const report = readGoTest(text, folderOf);
    assert.deepEqual(
      report?.faults.map(({ kind, name, file, line, message }) => [kind, name, file, line, message]),
      [
        ["build", "m.example/bad", "bad/bad.go", 3, "bad/bad.go:3:5: undefined: x"],
        ["unhandled", "m.example/cart", "cart", undefined, "exit status 3"],
      ],
    );
  });

  it("has a panic with its own calls, and says that the tests after it did not run", () => {
    const panic =
      "panic: no items [recovered, repanicked]\n\ngoroutine 7 [running]:\nm.example/cart.total(...)\n\t/w/cart/cart.go:4 +0x1\n";
    const text = lines(output(panic, "TestDeep"), { Action: "fail", Package: "m.example/cart", Test: "TestDeep" });
    const report = readGoTest(text, folderOf);
    assert.ok(report);
    const said = report.faults.map(({ message, stack }) => [message, stack]);
    assert.deepEqual(said, [["panic: no items", "    at /w/cart/cart.go:4"]]);
    assert.deepEqual(report.notices, ["later tests of m.example/cart did not run"]);
  });

  describe("a panic below a parent", () => {
    const calls = (...functions: string[]): string =>
      "panic: no items [recovered, repanicked]\n\ngoroutine 7 [running]:\n" +
      functions.map((name, index) => `m.example/cart.${name}(0x1)\n\t/w/cart/cart.go:${index + 4} +0x1\n`).join("");
    const fail = (test: string): object => ({ Action: "fail", Package: "m.example/cart", Test: test });
    const faultsOf = (...events: object[]): unknown => {
      const report = readGoTest(lines(...events, { Action: "fail", Package: "m.example/cart" }), folderOf);
      return [report?.faults.map(({ name, line, message }) => [name, line, message]), report?.notices];
    };
    const notices = ["later tests of m.example/cart did not run"];

    it("belongs to the subtest that failed last", () => {
      const faults = faultsOf(
        output("    cart_test.go:2: wrong\n", "TestDeep/one"),
        fail("TestDeep/one"),
        output("    cart_test.go:7: before\n", "TestDeep/two"),
        fail("TestDeep/two"),
        output("--- FAIL: TestDeep (0.00s)\n", "TestDeep"),
        output(calls("total", "TestDeep.func1"), "TestDeep"),
        fail("TestDeep"),
      );
      assert.deepEqual(faults, [
        [
          ["TestDeep/one", 2, "wrong"],
          ["TestDeep/two", 4, "panic: no items"],
        ],
        notices,
      ]);
    });

    it("belongs to the parent whose function is in the stack", () => {
      const faults = faultsOf(
        output("    cart_test.go:2: wrong\n", "TestDeep/one"),
        fail("TestDeep/one"),
        output(calls("total", "TestDeep"), "TestDeep"),
        fail("TestDeep"),
      );
      assert.deepEqual(faults, [
        [
          ["TestDeep/one", 2, "wrong"],
          ["TestDeep", 4, "panic: no items"],
        ],
        notices,
      ]);
    });
  });

  it("is nothing where go wrote no events", () => {
    assert.equal(readGoTest("go: cannot find main module\n", folderOf), undefined);
  });
});
