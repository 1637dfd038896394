import { BoundedLines } from "../runs/bounded-lines.js";
import { BacktraceFilter, CapturedOutput, tidyOutput, withoutSource } from "./output-lines.js";

/** A test program, or a package's documentation tests. */
export interface TestSuite {
  readonly title: string;
  readonly passed: number;
  readonly failed: number;
  readonly ignored: number;
  readonly filteredOut: number;
  readonly measured: number;
  readonly failures: readonly FailedTest[];
  /** The reason why the suite ended without its own result. */
  readonly end: string | undefined;
  /** Output that belongs to no test. */
  readonly stray: BoundedLines;
}

/** Maximum number of progress reports per suite. */
const progressSteps = 20;
const strayLength = { head: 10, tail: 20 };

/** Parses the output of one `cargo test` line by line, in the harness's default and quiet formats. */
export class TestRun {
  readonly #suites: SuiteReader[] = [];

  constructor(private readonly progress: (message: string) => void) {}

  get suites(): readonly TestSuite[] {
    return this.#suites;
  }

  start(title: string): void {
    this.#suites.at(-1)?.close();
    this.#suites.push(new SuiteReader(title, this.progress));
  }

  line(line: string): void {
    if (this.#suites.length === 0) this.start("tests");
    this.#suites.at(-1)?.line(line);
  }

  /** Called with cargo's description of the suite's exit: `exit status: 101`, `signal: 6, SIGABRT: …`. */
  ended(how: string): void {
    this.#suites.at(-1)?.ended(how);
  }

  close(): void {
    this.#suites.at(-1)?.close();
  }
}

class SuiteReader implements TestSuite {
  passed = 0;
  failed = 0;
  ignored = 0;
  filteredOut = 0;
  measured = 0;
  end: string | undefined;
  readonly failures: FailedTest[] = [];
  readonly stray = new BoundedLines(strayLength.head, strayLength.tail);
  /** Running counts; the result line overrides them. */
  #live = { passed: 0, failed: 0, ignored: 0 };
  #expected = 0;
  #names = new Set<string>();
  #blocks = new Map<string, CapturedOutput>();
  #block: CapturedOutput | undefined;
  /** Panics in uncaptured output by test name, and the panic being read. */
  #panics = new Map<string, CapturedOutput>();
  #panic: CapturedOutput | undefined;
  readonly #strayFilter = new BacktraceFilter();
  #state: "outside" | "running" | "blocks" | "names" = "outside";
  #hasResult = false;

  constructor(
    readonly title: string,
    private readonly progress: (message: string) => void,
  ) {}

  line(line: string): void {
    if (this.#state === "names") this.#nameLine(line);
    else if (this.#state === "blocks") this.#blockLine(line);
    else this.#runningLine(line);
  }

  ended(how: string): void {
    if (!this.#hasResult) this.end = how;
  }

  /** Call at the end of the output. */
  close(): void {
    if (this.#hasResult || this.#state === "outside") return;
    const { passed, failed, ignored } = this.#live;
    this.end = `${this.end ?? "no result"}, ${passed + failed + ignored} of ${this.#expected} tests done`;
    this.#settle();
  }

  #runningLine(line: string): void {
    const count = /^running (\d+) tests?$/.exec(line)?.[1];
    if (count !== undefined) {
      this.#state = "running";
      this.#hasResult = false;
      this.#expected = Number(count);
      this.#live = { passed: 0, failed: 0, ignored: 0 };
    } else if (this.#state === "outside") {
      if (line.trim() !== "" || this.stray.length > 0) this.stray.push(line);
    } else if (line === "failures:") {
      this.#state = "blocks";
    } else if (!this.#testLine(line) && !this.#result(line)) {
      this.#uncaptured(line);
    }
  }

  /** Handles a line that the harness didn't capture or that another process printed. */
  #uncaptured(line: string): void {
    const thread = /^thread '(.+?)'(?: \(\d+\))? panicked at /.exec(line)?.[1];
    if (thread !== undefined && !this.#panics.has(thread)) {
      this.#panic = new CapturedOutput();
      this.#panics.set(thread, this.#panic);
    } else if (thread !== undefined || /^(?:FAILED|ok)$|^note: run with |^stack backtrace:$/.test(line)) {
      this.#panic = undefined;
    }
    this.#panic?.push(line);
    if (line.trim() !== "" && this.#strayFilter.keeps(line)) this.stray.push(line);
  }

  #testLine(line: string): boolean {
    const quiet = /^(.+) --- FAILED$/.exec(line)?.[1];
    const [, name, outcome] = /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored|bench:)/.exec(line) ?? [];
    if (quiet !== undefined) this.#fail(quiet);
    else if (name === undefined) return /^[.i]+(?: \d+\/\d+)?$/.test(line) || /has been running for over/.test(line);
    else if (outcome === "FAILED") this.#fail(name);
    else if (outcome === "ignored") this.#live.ignored++;
    else this.#live.passed++;
    this.#panic = undefined;
    this.#tellProgress();
    return true;
  }

  /** Reports only some steps, since a suite can have thousands of tests. */
  #tellProgress(): void {
    const { passed, failed, ignored } = this.#live;
    const done = passed + failed + ignored;
    const step = Math.max(1, Math.floor(this.#expected / progressSteps));
    if (done % step === 0) this.progress(`${this.title}: ${done}/${this.#expected} tests, ${failed} failed`);
  }

  #fail(name: string): void {
    this.#live.failed++;
    this.#names.add(name);
  }

  #blockLine(line: string): void {
    const name = /^---- (.+) (?:stdout|stderr) ----$/.exec(line)?.[1];
    if (name !== undefined && (this.#names.has(name) || this.#names.size === 0 || this.#block === undefined)) {
      this.#block = new CapturedOutput();
      this.#blocks.set(name, this.#block);
    } else if (line === "failures:") {
      this.#state = "names";
    } else {
      this.#block?.push(line);
    }
  }

  #nameLine(line: string): void {
    const name = /^ {4}(\S.*)$/.exec(line)?.[1];
    if (name !== undefined) this.#names.add(name.replace(/ - should panic$/, ""));
    else if (line.trim() !== "" && !this.#result(line)) {
      // A test itself printed "failures:".
      this.#state = "blocks";
      this.#block?.push("failures:");
      this.#block?.push(line);
    }
  }

  #result(line: string): boolean {
    const [, passed, failed, ignored, measured, filtered] =
      /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured; (\d+) filtered out/.exec(line) ??
      [];
    if (passed === undefined) return false;
    this.#hasResult = true;
    this.#live = { passed: Number(passed), failed: Number(failed), ignored: Number(ignored) };
    this.measured += Number(measured);
    this.filteredOut += Number(filtered);
    this.#settle();
    return true;
  }

  #settle(): void {
    this.passed += this.#live.passed;
    this.failed += this.#live.failed;
    this.ignored += this.#live.ignored;
    for (const name of this.#names) {
      const output = this.#blocks.get(name) ?? this.#panics.get(name) ?? new CapturedOutput();
      this.failures.push(toFailedTest(name, output));
    }
    this.#names = new Set();
    this.#blocks = new Map();
    this.#panics = new Map();
    this.#panic = undefined;
    this.#block = undefined;
    this.#state = "outside";
  }
}

export interface FailedTest {
  readonly name: string;
  /** Place of the panic as `file:line:column`. */
  readonly place: string | undefined;
  /** Message of the panic or of the test's error. */
  readonly message: readonly string[];
  /** Output before the panic. */
  readonly output: readonly string[];
  /** Number of omitted lines that `output` doesn't mention. */
  readonly omitted: number;
  readonly backtrace: number;
}

const messageLength = { head: 20, tail: 10 };
const outputLength = { head: 6, tail: 10 };

export function toFailedTest(name: string, captured: CapturedOutput): FailedTest {
  const { lines } = tidyOutput(captured.lines.filter((line) => !doctestFrame.test(line)));
  const panic = findPanic(name, lines);
  const { output, message } = panic ? aroundPanic(lines, panic) : withoutPanic(lines);
  const shown = new BoundedLines(outputLength.head, outputLength.tail).pushAll(tidyOutput(output).lines);
  // The omitted lines are in the middle of the captured lines, so they are part of the output.
  const isCutOutput = shown.length > 0;
  return {
    name,
    place: panic?.place,
    message: new BoundedLines(messageLength.head, messageLength.tail).pushAll(tidyOutput(message).lines).toLines(),
    output: shown.toLines(isCutOutput ? captured.omitted : 0),
    omitted: isCutOutput ? 0 : captured.omitted,
    backtrace: captured.backtrace,
  };
}

/** Lines that rustdoc prints around a documentation test's output. */
const doctestFrame = /^(?:Test executable failed \(exit status: 101\)\.|stderr:|stdout:)$/;

function aroundPanic(
  lines: readonly string[],
  panic: Panic,
): { output: readonly string[]; message: readonly string[] } {
  return { output: lines.slice(0, panic.index), message: [...panic.message, ...lines.slice(panic.index + 1)] };
}

interface Panic {
  readonly index: number;
  readonly place: string;
  readonly message: readonly string[];
}

/** Returns the first panic of the test's own thread, else the first panic. */
function findPanic(name: string, lines: readonly string[]): Panic | undefined {
  const panics = lines.flatMap((line, index): (Panic & { thread: string })[] => {
    const [, thread, rest] = /^\s*thread '(.*?)'(?: \(\d+\))? panicked at (.+)$/.exec(line) ?? [];
    if (thread === undefined || rest === undefined) return [];
    // Up to Rust 1.72, the quoted message preceded the place.
    const [, message, oldPlace] = /^'(.*)', (\S+:\d+:\d+)$/.exec(rest) ?? [];
    if (message !== undefined && oldPlace !== undefined)
      return [{ thread, index, place: oldPlace, message: [message] }];
    return [{ thread, index, place: rest.replace(/:$/, ""), message: [] }];
  });
  return panics.find(({ thread }) => thread === name) ?? panics[0];
}

/** Without a panic, the last lines contain the reason; for a documentation test that doesn't compile, all lines do. */
function withoutPanic(lines: readonly string[]): { output: readonly string[]; message: readonly string[] } {
  if (lines.some((line) => /^error(?:\[E\d+\])?: /.test(line))) return { output: [], message: withoutSource(lines) };
  const start = lines.findLastIndex((line) => /^(?:Error: |note: test did not panic)/.test(line));
  return start === -1 ? { output: lines, message: [] } : { output: lines.slice(0, start), message: lines.slice(start) };
}
