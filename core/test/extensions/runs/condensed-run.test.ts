import assert from "node:assert/strict";
import { condensedRun, maxMarkLength } from "../../../src/extensions/runs/condensed-run.js";
import { missingSignals, runnerCases } from "../../quality/runner-recordings.js";

const told = (text: string, exitCode: number | null): string | undefined => {
  const run = condensedRun(text, exitCode);
  return run && [run.verdict, ...run.lines].join("\n");
};

/** Of how many recorded runs there has to be a report, so that the reader cannot pass by knowing nothing. */
const least: Readonly<Record<string, number>> = {
  ...{ vitest: 20, jest: 19, mocha: 16, node: 18, playwright: 17, bun: 20, pytest: 15, go: 5, maven: 14 },
};

describe("what is told of recorded runs by their runners' own words", () => {
  const cases = runnerCases();

  for (const { recording, shell, isCheck } of cases) {
    const name = `${recording.runner} ${recording.name}`;
    const text = told(shell, recording.exit.code);
    if (text === undefined) continue;

    it(`has every signal that a shell shows of ${name}, and its verdict, in fewer bytes`, () => {
      assert.equal(isCheck, false);
      const shown = recording.signals.filter((signal) => missingSignals([signal], shell).length === 0);
      assert.deepEqual(missingSignals(shown, text), [], text);
      const isGreen = !/\bfailed|\berrors?\b|cancelled|interrupted/.test(text.split("\n")[0] ?? "");
      assert.equal(isGreen, recording.exit.code === 0, text);
      assert.ok(text.length + maxMarkLength < shell.length);
    });

    it(`is nothing where ${name} has another exit code`, () => {
      assert.equal(told(shell, recording.exit.code === 0 ? 1 : 0), undefined);
      assert.equal(told(shell, null), undefined);
    });
  }

  it("is there for most runs of each runner", () => {
    const counts = Object.keys(least).map((runner) => {
      const of = cases.filter(({ recording }) => recording.runner === runner);
      return [
        runner,
        of.filter(({ recording, shell }) => told(shell, recording.exit.code) !== undefined).length,
      ] as const;
    });
    assert.deepEqual(
      counts.filter(([runner, count]) => count < (least[runner] ?? 0)),
      [],
    );
  });

  it("is a small part of what a shell shows of runs that fail", () => {
    const shares = Object.keys(least).map((runner) => {
      const failing = cases.filter(({ recording }) => recording.runner === runner && recording.exit.code !== 0);
      const found = failing.flatMap(({ recording, shell }) => {
        const text = told(shell, recording.exit.code);
        return text === undefined ? [] : [text.length / shell.length];
      });
      return [runner, found.sort((a, b) => a - b)[found.length >> 1] ?? 1] as const;
    });
    const most: Readonly<Record<string, number>> = {
      vitest: 20,
      jest: 60,
      mocha: 20,
      node: 15,
      playwright: 10,
      bun: 40,
      pytest: 45,
      go: 100,
      maven: 30,
    };
    assert.deepEqual(
      shares.filter(([runner, share]) => share * 100 > (most[runner] ?? 0)),
      [],
    );
  });
});

describe("condensedRun", () => {
  const run = (count: number, end: string): string =>
    [
      "> shop@1.0.0 test",
      "",
      "  cart",
      ...Array.from({ length: count }, (_, index) => `    ✔ prices basket ${index} (${index}ms)`),
      "",
      `  ${count} passing (48ms)`,
      end,
    ].join("\n");

  it("keeps what it does not know, in its order", () => {
    const text = told(
      run(20, "  1 failing\n\n  1) cart\n       is full:\n     Error: no room\n\ndeployed nothing\n"),
      1,
    );
    assert.equal(
      text,
      "mocha: 1 failed, 20 passed\n> shop@1.0.0 test\n  cart\n  1) cart\n       is full:\n     Error: no room\ndeployed nothing",
    );
  });

  it("keeps what is printed like a source, a summary or a test that passed", () => {
    const printed = " 3| beans\nErrors  none so far\n 4 | rice\nTime: late\n";
    const vitest = ` RUN  v5.1.1 /w\n\n${printed}${" ✓ a.test.js (3 tests) 4ms\n".repeat(20)}\n Test Files  20 passed (20)\n      Tests  60 passed (60)\n   Duration  1s\n`;
    assert.equal(told(vitest, 0), `vitest: 60 passed\n${printed.trimEnd()}`);
    const jest = `${printed}${"PASS test/a.test.js\n".repeat(20)}\nTest Suites: 20 passed, 20 total\nTests:       60 passed, 60 total\nTime:        1 s\n`;
    assert.equal(told(jest, 0), `jest: 60 passed\n${printed.trimEnd()}`);
    assert.equal(
      told(run(20, "").replace("    ✔ prices basket 3", "    ✔ or not\n    ✔ prices basket 3"), 0),
      undefined,
    );
  });

  it("keeps what a doctest expects and got", () => {
    const doctest =
      "_______ [doctest] shop.price _______\n002 >>> price()\nExpected:\n    4\nGot:\n    5\n\n/w/shop.py:2: DocTestFailure";
    const progress = "shop.py .................................................... [ 55%]\n".repeat(5);
    const text =
      told(
        `== test session starts ==\n${progress}== FAILURES ==\n${doctest}\n== 1 failed, 60 passed in 0.2s ==\n`,
        1,
      ) ?? "";
    assert.match(text, /Expected:\n {4}4\nGot:\n {4}5\n/);
  });

  it("says of a build that fails behind tests that passed that it failed", () => {
    const passed = "[INFO] Tests run: 12, Failures: 0, Errors: 0, Skipped: 0";
    const noise = "[INFO] --- compiler:3.13.0:compile (default-compile) @ web ---\n".repeat(20);
    const text = told(
      `${noise}${passed}\n[INFO] BUILD FAILURE\n[ERROR] /w/web/src/main/java/Shop.java:[3,5] cannot find symbol\n`,
      1,
    );
    assert.equal(
      text,
      "maven: build failed, tests: 12 passed\n[ERROR] /w/web/src/main/java/Shop.java:[3,5] cannot find symbol",
    );
  });

  it("is there at once for thousands of failures, and for lines without end", function () {
    this.timeout(60_000);
    const times = (part: (index: number) => string): string =>
      Array.from({ length: 30_000 }, (_, at) => part(at)).join("");
    const pytest = [
      "== test session starts ==\n== FAILURES ==\n",
      times(
        (at) =>
          `____ test_${at} ____\n\n    x = 3\n>   assert f(${at})\nE   no\n\na${at % 50}.py:${at}: AssertionError\n`,
      ),
      times((at) => `FAILED a${at % 50}.py::test_${at} - no\n`),
      "== 30000 failed in 9.1s ==\n",
    ].join("");
    assert.doesNotMatch(told(pytest, 1) ?? "FAILED", /FAILED/);
    const vitest = [
      " RUN  v5.1.1 /w\n",
      times((at) => `     × case ${at} 4ms\n`),
      times((at) => ` FAIL  a.test.js > suite > case ${at}\nno\n`),
      " Test Files  1 failed (1)\n      Tests  30000 failed (30000)\n",
    ].join("");
    assert.doesNotMatch(told(vitest, 1) ?? "×", /×/);
    const endless = ` ✓ a (${"3 tests) 4ms (".repeat(30_000)}`;
    const passed = ` RUN  v5.1.1 /w\n${" ✓ a.test.js (3 tests) 4ms\n".repeat(20)}${endless}\n Test Files  20 passed (20)\n      Tests  60 passed (60)\n`;
    assert.equal(told(passed, 0), `vitest: 60 passed\n${endless}`);
  });

  it("is nothing where another runner says something, too, or the same one twice", () => {
    assert.ok(told(run(20, ""), 0));
    assert.equal(told(`${run(20, "")}\n${run(20, "")}`, 0), undefined);
    assert.equal(told(`${run(20, "")}\n========= 3 passed in 0.32s =========\n`, 0), undefined);
  });

  it("is nothing where what fails is said of nothing that ran", () => {
    assert.equal(told("sh: 1: vitest: not found\n", 127), undefined);
    assert.equal(
      told(`ℹ tests 0\nℹ pass 0\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0\nℹ todo 0\n${"ℹ suites 0\n".repeat(20)}`, 0),
      undefined,
    );
  });

  it("is nothing where it would not be shorter", () => {
    assert.equal(told("  a\n    ✔ b\n\n  1 passing (4ms)\n", 0), undefined);
  });
});
