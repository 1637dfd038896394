import { BoundedLines } from "../runs/bounded-lines.js";
import { CapturedOutput } from "./output-lines.js";
import { type FailedTest, toFailedTest } from "./test-run.js";
import type { TestSuite } from "./test-run.js";

/** Maximum number of progress reports per run. */
const progressSteps = 20;

/** Status line of nextest: `FAIL [   0.2s] (2/9) package::binary tests::name`. The first column has 12 characters. */
const statusLine =
  /^(?=.{12} \[|\S.{12,} \[) {0,11}(\S.*?) \[[>\s]*[\d.]+s\] +(?:\( *(\d+)\/ *(\d+)\) +)?(\S+) (\S.*)$/;
const passes = /^(?:PASS|LEAK|FLAKY .*)$/;
/** Status of a test that is still running or will be retried. */
const interim = /^(?:SLOW|TERMINATING|TERM.*|TRY .*|RETRY|DELAY|START|KILL.*)$/;
/** Lines of the harness around a single test, which carry no information. */
const harnessLine =
  /^(?:running 1 test|test .* \.\.\. (?:FAILED|ok)|failures:|test result: .*|---- .* std(?:out|err) ----)$/;
const indent = "    ";

interface Suite extends TestSuite {
  passed: number;
  failed: number;
  ignored: number;
  end: string | undefined;
  readonly failures: FailedTest[];
}

interface Failure {
  readonly suite: Suite;
  readonly name: string;
  /** Cause of the failure other than a panic: `TIMEOUT`, `SIGABRT`. */
  readonly how: string;
  readonly captured: CapturedOutput;
}

/** Parses the human-readable output of `cargo nextest run` after the build: https://nexte.st/docs/reporting. */
export class NextestRun {
  readonly #suites = new Map<string, Suite>();
  #failure: Failure | undefined;
  #expected = 0;
  #state: "before" | "running" | "over" = "before";

  constructor(private readonly progress: (message: string) => void) {}

  /** One suite per test program, in order of their first report. */
  get suites(): readonly TestSuite[] {
    return [...this.#suites.values()];
  }

  /** Whether tests have started. Before that, nextest may still fail to start. */
  get isStarted(): boolean {
    return this.#state !== "before";
  }

  line(line: string): void {
    if (this.#state === "over") return;
    if (this.#failure && (line === "" || line.startsWith(indent)) && !statusLine.test(line)) {
      this.#captured(this.#failure, line.slice(indent.length));
    } else if (!this.#summary(line) && !this.#status(line)) this.#start(line);
  }

  /** Call at the end of the output. */
  close(): void {
    this.#endFailure();
    const last = [...this.#suites.values()].at(-1);
    if (this.#state !== "running" || this.#expected === 0) return;
    const done = [...this.#suites.values()].reduce((sum, { passed, failed }) => sum + passed + failed, 0);
    (last ?? this.#suite("tests")).end = `no result, ${done} of ${this.#expected} tests done`;
  }

  #status(line: string): boolean {
    const [, status, done, total, binary, name] = statusLine.exec(line) ?? [];
    if (status === undefined || binary === undefined || name === undefined) return false;
    if (interim.test(status)) return true;
    this.#endFailure();
    const suite = this.#suite(binary);
    if (passes.test(status)) suite.passed++;
    else {
      suite.failed++;
      this.#failure = { suite, name, how: status, captured: new CapturedOutput() };
    }
    const step = Math.max(1, Math.ceil(Number(total) / progressSteps));
    if (Number(done) % step === 0) this.progress(`${done} of ${total} tests`);
    return true;
  }

  #start(line: string): void {
    const count = /^ {4}Starting (\d+) tests? /.exec(line)?.[1];
    if (count === undefined || this.#state !== "before") return;
    this.#expected = Number(count);
    this.#state = "running";
  }

  /** Ends parsing at the summary line, since nextest repeats the failures after it. */
  #summary(line: string): boolean {
    const summary = /^ {5}Summary \[.*\] .* tests? run: (.*)$/.exec(line)?.[1];
    if (summary === undefined) return false;
    this.#endFailure();
    this.#state = "over";
    const skipped = Number(/(\d+) skipped/.exec(summary)?.[1] ?? 0);
    // Nextest gives one count of ignored and filtered-out tests for all programs.
    const first = this.#suites.values().next().value ?? this.#suite("tests");
    first.ignored = skipped;
    return true;
  }

  #captured({ captured, name }: Failure, line: string): void {
    if (harnessLine.test(line) || line === `${indent}${name}`) return;
    captured.push(line);
  }

  #endFailure(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (!failure) return;
    const { suite, name, how, captured } = failure;
    const failed = toFailedTest(name, captured);
    suite.failures.push(how === "FAIL" ? failed : { ...failed, message: [how, ...failed.message] });
  }

  #suite(title: string): Suite {
    const known = this.#suites.get(title);
    if (known) return known;
    const counts = { passed: 0, failed: 0, ignored: 0, filteredOut: 0, measured: 0 };
    const suite = { title, ...counts, failures: [], end: undefined, stray: new BoundedLines(0, 0) };
    this.#suites.set(title, suite);
    return suite;
  }
}
