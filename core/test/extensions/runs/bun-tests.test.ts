import assert from "node:assert/strict";
import { readBunTest } from "../../../src/extensions/runs/bun-tests.js";

const begin = "bun test v1.4.5 (a7733435c)\n\na.test.ts:\n";
const failure = (line: number): string =>
  `1 | it("sells", () => {\n                    ^\nerror: sold out\n      at <anonymous> (/w/a.test.ts:${line}:9)\n`;
const summary = (fail: number, pass = 0): string =>
  `\n ${pass} pass\n ${fail} fail\nRan ${fail + pass} tests across 1 file. [9.00ms]\n`;

describe("the words of bun test", () => {
  it("are no report where they are not bun's", () => {
    assert.equal(readBunTest("sh: bun: not found\n"), undefined);
  });

  it("have the error, the calls and what was printed of each test that failed, without colours and sources", () => {
    const report = readBunTest(
      `${begin}3 left\n${failure(4)}\u001b[31m(fail)\u001b[0m shop > sells [0.10ms]\n${summary(1)}`,
    );
    assert.deepEqual(report?.faults, [
      {
        ...{ kind: "test", name: "shop > sells", file: "a.test.ts", message: "sold out" },
        ...{ stack: "      at /w/a.test.ts:4:9", output: "3 left" },
      },
    ]);
    assert.equal(report.counts.failed, 1);
  });

  it("say a failure twice at the end of long runs, which is one", () => {
    const text = `${begin}${failure(4)}(fail) sells [1.00ms]\n\n1 tests failed:\n(fail) sells [1.00ms]\n${summary(1)}`;
    assert.equal(readBunTest(text)?.faults.length, 1);
  });

  it("have failures behind a line that a test printed and that looks like the end", () => {
    const printed = "1 tests failed:\n 0 fail\nRan 1 test across 1 file. [1.00ms]\n";
    const text = `${begin}${printed}(pass) prints\n${failure(4)}(fail) sells\n${summary(1, 1)}`;
    const report = readBunTest(text);
    assert.deepEqual([report?.counts.failed, report?.counts.passed, report?.isComplete], [1, 1, true]);
    assert.equal(readBunTest(text.slice(0, text.indexOf("(fail)")))?.isComplete, false);
  });

  it("are not complete without their summary, and name the file and the test before", () => {
    const report = readBunTest(`${begin}(pass) opens [0.01ms]\n`);
    assert.deepEqual([report?.isComplete, report?.running], [false, ["a.test.ts after opens"]]);
  });

  it("that count more failures than they list are told as such", () => {
    const report = readBunTest(`bun test v1.4.5 (a)\n\n...F\n${summary(2, 3)}`);
    assert.deepEqual([report?.counts.failed, report?.notices], [2, ["bun reports 2 more failures without details"]]);
  });

  it("of an error between tests are one of the file where no test has ended, else one outside of tests", () => {
    const error = `\n# Unhandled error between tests\n${"-".repeat(31)}\n${failure(4)}${"-".repeat(31)}\n\n`;
    assert.equal(readBunTest(`${begin}${error}${summary(1)}`)?.faults[0]?.kind, "load");
    assert.equal(readBunTest(`${begin}(pass) opens\n${error}${summary(1, 1)}`)?.faults[0]?.kind, "unhandled");
  });
});
