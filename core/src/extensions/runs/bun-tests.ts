import { withoutColours } from "./shortened-output.js";
import type { TestFault, TestReport } from "./test-report.js";

const banner = /^bun test v(\S+)/;
const fileLine = /^(\S.*\.[cm]?[jt]sx?):$/;
const resultLine = /^\((pass|skip|todo|fail)\) (.+?)(?: \[[\d.]+m?s\])?$/;
/** Note that bun prints below a test that failed without an error, for example because of a timeout. */
const remark = /^ {2}\^ (.+)$/;
/** Heading of the list of failed and skipped tests that bun prints after long runs. */
const recap = /^\d+ tests? (?:failed|skipped|todo):$/;
const between = /^# Unhandled error between tests$/;
const ruler = /^-{20,}$/;
const excerpt = /^\s*\d+ \| /;
/** Maximum lines of a source excerpt; bun shows fewer. */
const maxExcerpt = 20;
const caret = /^\s+\^\s*$/;
const frame = /^\s+at /;
/** Stack frame of built-in code. */
const nativeFrame = /^\s+at \S+ \((?:native:)?\d+:\d+\)$/;
/** Start of an error that bun shows without a source excerpt. */
const errorStart = /^(?:error|[A-Z]\w*(?:Error|Exception)): /;
/** Bun's name for a hook outside a test, after the names of the enclosing groups. */
const hookName = /(?:^| > )\(unnamed\)$/;
const summaryCount = /^ *(\d+) (pass|skip|todo|fail|errors?|filtered out)$/;
const end = /^Ran \d+ tests? across \d+ files?\./;
const nothing =
  /^(?:No tests found!|error: regex .* matched 0 tests\.|error: 0 test files matching|The following filters did not match any test files:)/;

/**
 * Parses the output of `bun test`, with stdout and stderr in order; returns undefined if the output isn't bun's. Reads text because bun
 * supports no custom reporters, and its JUnit report lacks the tests' output.
 */
export function readBunTest(raw: string): TestReport | undefined {
  const lines = withoutColours(raw).split(/\r?\n/);
  const version = lines.flatMap((line) => banner.exec(line)?.[1] ?? [])[0];
  if (version === undefined) return undefined;
  const reader = new BunReader();
  for (const line of lines) reader.push(line);
  return reader.report(`bun ${version}`);
}

class BunReader {
  readonly #counts = { passed: 0, failed: 0, skipped: 0, todo: 0, xfailed: 0, xpassed: 0, cancelled: 0 };
  readonly #said = new Map<string, number>();
  readonly #faults: TestFault[] = [];
  readonly #notices: string[] = [];
  #file = "";
  /** Whether a test of the file has finished. */
  #hasResult = false;
  #last = "";
  readonly #seen = new Set<string>();
  #isRecap = false;
  #isComplete = false;
  /** Lines since the last result. */
  #block: string[] = [];
  /** Number of ruler lines read while parsing an error outside tests; undefined if no such error is being parsed. */
  #rulers: number | undefined;

  push(line: string): void {
    const file = fileLine.exec(line)?.[1];
    // Accept a file name only after an empty line, since tests may print lines that look the same.
    if (file !== undefined && this.#rulers === undefined && (this.#block.at(-1) ?? "") === "") return this.#open(file);
    if (recap.test(line)) this.#isRecap = true;
    else if (between.test(line)) this.#rulers = 0;
    else if (this.#rulers !== undefined && ruler.test(line)) this.#pushRuler();
    else if (this.#pushResult(line) || this.#pushRemark(line)) return;
    else if (end.test(line)) this.#isComplete = true;
    else if (!this.#pushSummary(line)) this.#block.push(line);
  }

  report(runner: string): TestReport {
    const isNothing = this.#block.some((line) => nothing.test(line));
    const isComplete = this.#isComplete || (isNothing && this.#last === "");
    const faults = isComplete && !isNothing ? this.#counted() : this.#faults;
    // Prefer the summary's counts, since a test's output may contain lines that look like results.
    const told = (word: string, count: number): number => (isComplete ? (this.#said.get(word) ?? 0) : count);
    const missing = (this.#said.get("fail") ?? 0) - faults.length;
    const filtered = this.#said.get("filtered out") ?? 0;
    const after = this.#last === "" ? "" : ` after ${this.#last}`;
    return {
      runner,
      counts: {
        ...this.#counts,
        passed: told("pass", this.#counts.passed),
        skipped: told("skip", this.#counts.skipped),
        todo: told("todo", this.#counts.todo),
        failed: faults.filter(({ kind }) => kind === "test").length + (isComplete ? Math.max(0, missing) : 0),
      },
      faults,
      notices: [
        ...this.#notices,
        ...(missing > 0 && isComplete ? [`bun reports ${missing} more failures without details`] : []),
        ...(filtered > 0 ? [`${filtered} more tests have other names`] : []),
      ],
      isComplete,
      running: isComplete || this.#file === "" ? [] : [`${this.#file}${after}`],
    };
  }

  /**
   * Returns the faults without false ones. If there are more faults than the summary counts, drops test faults without an error, which come
   * from test output that looks like a result.
   */
  #counted(): readonly TestFault[] {
    const extra = this.#faults.length - (this.#said.get("fail") ?? 0);
    const empty = this.#faults
      .filter(({ kind, message }) => kind === "test" && message === "")
      .slice(0, Math.max(0, extra));
    return this.#faults.filter((fault) => !empty.includes(fault));
  }

  #open(file: string): void {
    this.#file = file;
    this.#hasResult = false;
    this.#last = "";
    this.#isRecap = false;
    this.#said.clear();
    this.#block = [];
  }

  #pushRuler(): void {
    this.#rulers = (this.#rulers ?? 0) + 1;
    if (this.#rulers < 2) {
      this.#block = [];
      return;
    }
    this.#rulers = undefined;
    this.#add(this.#hasResult ? "unhandled" : "load", "");
  }

  #pushResult(line: string): boolean {
    const [, result, name = ""] = resultLine.exec(line) ?? [];
    if (result === undefined) return false;
    const key = `${result} ${name}`;
    if (this.#isRecap && this.#seen.has(key)) return true;
    this.#seen.add(key);
    this.#said.clear();
    this.#isComplete = false;
    if (result === "fail") this.#add(hookName.test(name) ? "hook" : "test", name.replace(hookName, ""));
    else if (result === "pass") this.#counts.passed++;
    else if (result === "skip") this.#counts.skipped++;
    else this.#counts.todo++;
    this.#block = [];
    this.#hasResult = true;
    if (!hookName.test(name)) this.#last = name;
    return true;
  }

  #pushRemark(line: string): boolean {
    const said = remark.exec(line)?.[1];
    const fault = this.#faults.at(-1);
    if (said === undefined || !fault || this.#block.length > 0) return false;
    if (this.#isRecap) return true;
    this.#faults[this.#faults.length - 1] = { ...fault, message: [fault.message, said].filter(Boolean).join("\n") };
    return true;
  }

  /** Reads the counts at the end of the output. */
  #pushSummary(line: string): boolean {
    const [, count, word = ""] = summaryCount.exec(line) ?? [];
    if (count !== undefined) this.#said.set(word, Number(count));
    const snapshots = /^snapshots: (.+)$/.exec(line)?.[1];
    if (snapshots !== undefined && this.#said.size > 0) this.#notices.push(`snapshots: ${snapshots}`);
    return count !== undefined;
  }

  #add(kind: TestFault["kind"], name: string): void {
    const { errors, printed } = errorsIn(this.#block);
    const [first = { message: "", stack: "" }, ...more] = errors;
    const message = [first.message, ...more.map(wordsOf)].filter(Boolean).join("\n");
    const { stack } = first;
    this.#faults.push({ kind, name, file: this.#file, message, stack, output: printed.join("\n").trim() });
    this.#block = [];
  }
}

interface BunError {
  readonly message: string;
  readonly stack: string;
}

/** Returns the text of a further error in the same test: its message and its first stack frame. */
function wordsOf({ message, stack }: BunError): string {
  return [message, (stack.split("\n")[0] ?? "").trim()].filter(Boolean).join("\n");
}

/** Splits a block into the test's errors and its other output. */
function errorsIn(block: readonly string[]): { errors: readonly BunError[]; printed: readonly string[] } {
  const errors: BunError[] = [];
  const printed: string[] = [];
  for (let at = 0; at < block.length;) {
    const start = endOfExcerpt(block, at) ?? (errorStart.test(block[at] ?? "") ? at : undefined);
    if (start === undefined) {
      printed.push(block[at] ?? "");
      at++;
      continue;
    }
    let next = start + 1;
    const isNext = (line: number): boolean =>
      endOfExcerpt(block, line) !== undefined || errorStart.test(block[line] ?? "");
    while (next < block.length && !frame.test(block[next] ?? "") && !isNext(next)) next++;
    let last = next;
    while (last < block.length && frame.test(block[last] ?? "")) last++;
    errors.push({
      message: messageOf(block.slice(start, next)),
      stack: block
        .slice(next, last)
        .filter((line) => !nativeFrame.test(line))
        .map(plainFrame)
        .join("\n"),
    });
    at = last;
  }
  return { errors, printed };
}

/** Returns the index of the line after a source excerpt that starts at `at`; undefined if there is no excerpt. */
function endOfExcerpt(block: readonly string[], at: number): number | undefined {
  let next = at;
  while (next - at < maxExcerpt && excerpt.test(block[next] ?? "")) next++;
  return next > at && caret.test(block[next] ?? "") ? next + 1 : undefined;
}

/** Returns an error's message without the diff's line counts and the generic `error: ` prefix. */
function messageOf(lines: readonly string[]): string {
  const [first = "", ...rest] = lines;
  const others = rest.filter((line) => !/^[-+] (?:Expected|Received) {2}[-+] \d+$/.test(line));
  return [first.replace(/^error: /, ""), ...others].join("\n").trim();
}

function plainFrame(line: string): string {
  return line.replace(/ at (?:async )?<anonymous> \((.+)\)$/, " at $1");
}
