import { foreignCall, withoutForeignCalls } from "./shortened-output.js";

/** Summary that a test runner prints at the end of a run. */
interface RunnerVerdict {
  /** Summary text, for example `3 failed, 96 passed`; empty if nothing ran. */
  readonly text: string;
  readonly isFailed: boolean;
}

/** Patterns for a runner's human-readable output. */
export interface RunnerWords {
  readonly name: string;
  /**
   * Returns the run's summary; undefined unless the lines are one complete run of this test runner. The lines must not contain color codes.
   */
  verdict(lines: readonly string[]): RunnerVerdict | undefined;
  /** Returns the lines without repetitions and without lines about passed tests or about the runner itself. */
  told(lines: readonly string[]): readonly string[];
}

/** Returns the match of the only line that matches; undefined if no line or several lines match. */
function only(lines: readonly string[], pattern: RegExp): RegExpExecArray | undefined {
  const found = lines.map((line) => pattern.exec(line)).filter((match) => match !== null);
  return found.length === 1 ? found[0] : undefined;
}

function countOf(lines: readonly string[], pattern: RegExp): number {
  return lines.filter((line) => pattern.test(line)).length;
}

function without(lines: readonly string[], patterns: readonly RegExp[]): readonly string[] {
  return lines.filter((line) => !patterns.some((pattern) => pattern.test(line)));
}

/** Format of the source excerpts that a test runner prints. */
interface Excerpt {
  readonly line: RegExp;
  /** Line that marks a position in the source line above. */
  readonly caret: RegExp;
  /** Whether to keep a line of the excerpt. */
  readonly kept: (line: string, next: string | undefined) => boolean;
}

/** Removes source excerpts, since the source can be read in the file. Keeps lines that look similar but contain no position mark. */
function withoutExcerpts(lines: readonly string[], { line: isLine, caret, kept }: Excerpt): readonly string[] {
  const told: string[] = [];
  let block: string[] = [];
  const end = (): void => {
    const isExcerpt = block.some((line) => caret.test(line));
    told.push(...(isExcerpt ? block.filter((line, index) => kept(line, block[index + 1])) : block));
    block = [];
  };
  for (const line of lines) {
    if (isLine.test(line) || caret.test(line)) block.push(line);
    else {
      end();
      told.push(line);
    }
  }
  end();
  return told;
}

/** Format of Babel's source excerpts, which Jest and Playwright use. */
const codeFrame: Excerpt = {
  line: /^ +(?:> *)?\d+ \|/,
  caret: /^ +\| +\^+$/,
  kept: (line) => /^ +> *\d+ \|/.test(line),
};

/** Formats the counts that aren't zero, for example `3 failed, 96 passed`. */
function counted(counts: readonly (readonly [count: number, word: string])[]): string {
  return counts.flatMap(([count, word]) => (count > 0 ? [`${count} ${word}`] : [])).join(", ");
}

const failing = /\b[1-9]\d* (?:failed|errors?)\b/;

const vitest: RunnerWords = {
  name: "vitest",
  verdict(lines) {
    const files = only(lines, /^ *Test Files {2}(.+?)(?: \(\d+\))?$/)?.[1];
    const tests = only(lines, /^ *Tests {2}(.+?)(?: \(\d+\))?$/)?.[1];
    if (files === undefined || tests === undefined || countOf(lines, /^ *RUN +v\d/) !== 1) return undefined;
    const errors = only(lines, /^ *Errors {2}(\d+ errors?)$/)?.[1];
    const all = [tests, ...(errors === undefined ? [] : [errors])];
    const shown = failing.test(all.join()) || !failing.test(files) ? all : [...all, `files: ${files}`];
    return { text: shown.join(", ").replaceAll(" | ", ", "), isFailed: failing.test([...all, files].join()) };
  },
  told(lines) {
    const heads = lines.flatMap((line) => /^ *FAIL +(.+)$/.exec(line)?.[1] ?? []);
    const ends = new Set(heads.flatMap((head) => [...head.matchAll(/ > /g)].map(({ index }) => head.slice(index + 3))));
    const isTold = (line: string): boolean => {
      const name = /^ {4,}× (.+?)(?: \d+m?s)?$/.exec(line)?.[1];
      return name !== undefined && ends.has(name);
    };
    const end = lines.findIndex((line) => /^ *Test Files {2}/.test(line));
    const source = { line: /^ +\d+\|/, caret: /^ +\| +\^$/, kept: () => false };
    const plain = without(withoutExcerpts(lines.slice(0, end), source), [
      ...[/^ *RUN +v\d/, /^ ✓ .+ \(\d+ tests?\b.*\)(?: +\d+m?s)?$/, /^ +❯ .+ \(\d+(?: tests?.*)?\)(?: +\d+m?s)?$/],
      ...[/^⎯+(?: Failed (?:Tests|Suites) \d+ ⎯+|\[\d+\/\d+\]⎯+)?$/, /^ *❯ .*(?:node_modules|\bnode:)/],
    ]);
    const summary = [/^ *(?:Test Files|Tests|Errors|Start at|Duration) {2}/, /^ +Isolate {2}/, /^ +at least ~\d/];
    return [...plain.filter((line) => !isTold(line)), ...without(lines.slice(end), summary)];
  },
};

const jest: RunnerWords = {
  name: "jest",
  verdict(lines) {
    const suites = only(lines, /^Test Suites: +(.+), \d+ total$/)?.[1];
    const tests = only(lines, /^Tests: +(.+?)(?:, \d+ total)?$/)?.[1];
    if (suites === undefined || tests === undefined) return undefined;
    const isTold = failing.test(tests) || !failing.test(suites);
    return { text: isTold ? tests : `${tests}, suites: ${suites}`, isFailed: failing.test(`${suites} ${tests}`) };
  },
  told(lines) {
    const end = lines.findIndex((line) => /^Test Suites: /.test(line));
    const plain = without(withoutForeignCalls(withoutExcerpts(lines.slice(0, end), codeFrame)), [/^PASS \S/]);
    const summary = [/^(?:Test Suites|Tests|Time): /, /^Snapshots: +0 total$/, /^Ran all test suites/];
    return [...plain, ...without(lines.slice(end), summary)];
  },
};

const passedInMocha = /^ {4,}✔ /;

const mocha: RunnerWords = {
  name: "mocha",
  verdict(lines) {
    const passed = only(lines, /^ {2}(\d+) passing \(.+\)$/)?.[1];
    const failed = countOf(lines, /^ {2}\d+ failing$/) > 1 ? undefined : lines.flatMap(failuresOf)[0];
    const pending = only(lines, /^ {2}(\d+) pending$/)?.[1];
    const listed = countOf(lines, passedInMocha);
    // The counts can differ, since a test's output may look like a line about a passed test.
    if (passed === undefined || (listed !== 0 && listed !== Number(passed))) return undefined;
    const counts = [
      [Number(failed ?? 0), "failed"],
      [Number(passed), "passed"],
      [Number(pending ?? 0), "pending"],
    ] as const;
    return { text: counted(counts), isFailed: failed !== undefined };
  },
  told(lines) {
    const end = lines.findIndex((line) => /^ {2}\d+ passing \(/.test(line));
    const isFailed = lines.some((line) => failuresOf(line).length > 0);
    // In mocha's tree, a failure is only a number that refers to the list below the tree.
    const tree = lines.slice(0, end).filter((line) => !passedInMocha.test(line));
    const listed = lines.slice(end).filter((line) => !/^ {2}\d+ (?:passing \(.+\)|failing|pending)$/.test(line));
    return withoutForeignCalls([...(isFailed ? tree.filter((line) => !/^ {4,}\d+\) /.test(line)) : tree), ...listed]);
  },
};

function failuresOf(line: string): readonly string[] {
  return /^ {2}(\d+) failing$/.exec(line)?.slice(1) ?? [];
}

const nodeTest: RunnerWords = {
  name: "node --test",
  verdict(lines) {
    const count = (name: string): number => Number(only(lines, new RegExp(`^ℹ ${name} (\\d+)$`))?.[1] ?? NaN);
    const [failed, passed, cancelled] = [count("fail"), count("pass"), count("cancelled")];
    if (Number.isNaN(failed + passed + cancelled)) return undefined;
    const counts = [
      [failed, "failed"],
      [cancelled, "cancelled"],
      [passed, "passed"],
      [count("skipped"), "skipped"],
      [count("todo"), "todo"],
    ] as const;
    return { text: counted(counts), isFailed: failed + cancelled > 0 };
  },
  told(lines) {
    const end = lines.findIndex((line) => /^✖ failing tests:$/.test(line));
    const nameOf = (line: string): string | undefined => /^ *✖ (.+) \([\d.]+ms\)/.exec(line)?.[1];
    // Omit a suite's start line, since its end line repeats the name.
    const suites = new Set(lines.flatMap((line) => /^ *[✔✖] (.+) \([\d.]+ms\)$/.exec(line)?.[1] ?? []));
    const isBegun = (line: string): boolean => suites.has(/^ *▶ (.+)$/.exec(line)?.[1] ?? "");
    const listed = new Set((end === -1 ? [] : lines.slice(end)).map(nameOf));
    const plain = lines.filter(
      (line, index) => index >= end || nameOf(line) === undefined || !listed.has(nameOf(line)),
    );
    return without(withoutForeignCalls(plain.filter((line) => !isBegun(line))), [
      ...[/^ *✔ .+ \([\d.]+ms\)$/, /^✖ failing tests:$/],
      ...[/^ℹ (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/],
    ]);
  },
};

const playwright: RunnerWords = {
  name: "playwright",
  verdict(lines) {
    if (only(lines, /^Running \d+ tests? using \d+ workers?$/) === undefined) return undefined;
    const ends = lines.flatMap(
      (line) =>
        /^ {2}(\d+ (?:passed|failed|flaky|skipped|interrupted|did not run))(?: \([\d.]+m?s?\))?$/.exec(line)?.[1] ?? [],
    );
    const errors = lines.flatMap(
      (line) => /^ {2}(\d+ errors?) (?:was|were) not a part of any test/.exec(line)?.[1] ?? [],
    );
    const all = [...ends, ...errors];
    if (all.length === 0 || new Set(all.map((one) => one.replace(/^\d+ /, ""))).size < all.length) return undefined;
    return { text: all.join(", "), isFailed: /failed|interrupted|error/.test(all.join()) };
  },
  told(lines) {
    const plain = lines.map((line) => line.replace(/ ─+$/, ""));
    const heads = new Set(plain.flatMap((line) => /^ {2}\d+\) (.+)$/.exec(line)?.[1]?.trim() ?? []));
    const isHead = (text: string | undefined): boolean => text !== undefined && heads.has(text.trim());
    return without(withoutForeignCalls(withoutExcerpts(plain, codeFrame)), [
      ...[/^Running \d+ tests? using/, /^ {2}✓ +\d+ .+ \([\d.]+m?s\)$/],
      /^ {2}\d+ (?:passed|failed|flaky|skipped|interrupted|did not run)(?: \([\d.]+m?s?\))?$/,
    ]).filter(
      (line) => !isHead(/^ {2}✘ +\d+ (.+?) \([\d.]+m?s\)$/.exec(line)?.[1]) && !isHead(/^ {4}(.+)$/.exec(line)?.[1]),
    );
  },
};

const bun: RunnerWords = {
  name: "bun test",
  verdict(lines) {
    const count = (word: string): string | undefined => only(lines, new RegExp(`^ *(\\d+) ${word}$`))?.[1];
    const [failed, passed] = [count("fail"), count("pass")];
    const listed = countOf(lines, /^\(pass\) /);
    if (listed !== 0 && listed !== Number(passed)) return undefined;
    if (failed === undefined || passed === undefined || !only(lines, /^Ran \d+ tests? across \d+ files?\./))
      return undefined;
    const errors = only(lines, /^ *(\d+) errors?$/)?.[1];
    const counts = [
      [Number(failed), "failed"],
      [Number(errors ?? 0), "errors"],
      [Number(passed), "passed"],
      [Number(count("skip") ?? 0), "skipped"],
      [Number(count("todo") ?? 0), "todo"],
    ] as const;
    return { text: counted(counts), isFailed: Number(failed) + Number(errors ?? 0) > 0 };
  },
  told(lines) {
    const source = {
      line: /^ *\d+ \|/,
      caret: /^ +\^$/,
      kept: (line: string, next = "") => /^ +\^$/.test(next) || !/^ *\d+ \|/.test(line),
    };
    const end = lines.findIndex((line) => /^\d+ tests? failed:$/.test(line));
    // Omit the list at the end, since each failure is also shown where it occurred.
    const whole = lines.filter(
      (line, index) => end === -1 || index < end || !/^(?:\(fail\) |\d+ tests? failed:$)/.test(line),
    );
    return without(withoutForeignCalls(withoutExcerpts(whole, source)), [
      ...[
        /^\(pass\) /,
        /^bun test v\d/,
        /^ *\d+ (?:pass|fail|skip|todo|errors?|expect\(\) calls)$/,
        /^Ran \d+ tests? across/,
      ],
    ]);
  },
};

const goPackage = /^(?:ok {2}|FAIL|\? {3})\t\S+/;

const go: RunnerWords = {
  name: "go test",
  verdict(lines) {
    const packages = lines.filter((line) => goPackage.test(line));
    if (packages.length === 0) return undefined;
    const failed = packages.filter((line) => line.startsWith("FAIL")).length;
    const passed = packages.filter((line) => line.startsWith("ok")).length;
    const tests = countOf(lines, /^--- FAIL: /);
    const ofPackages = counted([
      [failed, failed === 1 ? "package failed" : "packages failed"],
      [passed, "ok"],
    ]);
    const text = [...(tests > 0 ? [`${tests} failed`] : []), ofPackages].filter((part) => part !== "").join(", ");
    return { text, isFailed: failed > 0 };
  },
  told(lines) {
    const isForeign = (line = ""): boolean => /^\t\S/.test(line) && foreignCall.test(line);
    return without(
      lines.filter((line, index) => {
        return !isForeign(line) && !(isForeign(lines[index + 1]) && /\)$|^created by /.test(line));
      }),
      [
        /^ok {2}\t\S+\t(?:\(cached\)|[\d.]+s)$/,
        /^\? {3}\t/,
        /^=== (?:RUN|PAUSE|CONT|NAME) /,
        /^ *--- PASS: /,
        /^(?:PASS|FAIL)$/,
      ],
    );
  },
};

const maven: RunnerWords = {
  name: "maven",
  verdict(lines) {
    const build = only(lines, /^\[INFO\] BUILD (SUCCESS|FAILURE)$/)?.[1];
    const counts = lines.flatMap((line) => {
      const found = /^\[\w+\] Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)$/.exec(line);
      return found ? [found.slice(1).map(Number)] : [];
    });
    if (build === undefined || counts.length === 0) return undefined;
    const [run = 0, failures = 0, errors = 0, skipped = 0] = [0, 1, 2, 3].map((index) =>
      counts.reduce((sum, count) => sum + (count[index] ?? 0), 0),
    );
    const text = counted([
      [failures, "failed"],
      [errors, "errors"],
      [run - failures - errors - skipped, "passed"],
      [skipped, "skipped"],
    ]);
    const isFailed = build === "FAILURE";
    // If no test failed, the build failed for another reason, for example a compile error in another module or a style check.
    return { text: isFailed && failures + errors === 0 ? `build failed, tests: ${text || "none"}` : text, isFailed };
  },
  told: (lines) =>
    without(lines, [
      ...[/^\[INFO\](?: |$)/, /^\[ERROR\] *$/, /^\[ERROR\] Tests run: [\d, \w:]+$/],
      /^\[ERROR\] (?:-> \[Help \d+\]|\[Help \d+\] http|To see the full stack trace|Re-run Maven|For more information about|See dump files)/,
      /^\tat (?:java\.base|jdk\.internal|org\.junit|org\.opentest4j|org\.apache\.maven|junit\.)/,
    ]),
};

/** Patterns of all test runners except pytest, whose patterns are in `pytest-words`. */
export const knownWords: readonly RunnerWords[] = [vitest, jest, mocha, nodeTest, playwright, bun, go, maven];
