import { parsedObject, textOf } from "../../base/rpc/json.js";

/**
 * Kind of a fault:
 * - `test`: assertion or exception
 * - `hook`: set-up or tear-down
 * - `load`: a file that fails to load
 * - `unhandled`: an error outside tests
 * - `build`: code that doesn't compile
 */
type FaultKind = "test" | "hook" | "load" | "unhandled" | "build";

export interface TestFault {
  readonly kind: FaultKind;
  readonly name: string;
  /** Path of the file with the fault, absolute or relative to the run's folder. */
  readonly file?: string;
  /** Test file of the fault, if the fault's location may be in another file. */
  readonly testFile?: string;
  readonly line?: number;
  readonly message: string;
  readonly diff?: string;
  readonly expected?: string;
  readonly actual?: string;
  /** Stack frames as `at …` lines, innermost first. */
  readonly stack: string;
  /** Output of the test, or of its whole file if the test runner doesn't separate the tests' output. */
  readonly output: string;
}

export type TestCounts = Readonly<
  Record<"passed" | "failed" | "skipped" | "todo" | "xfailed" | "xpassed" | "cancelled", number>
>;

/** Result of a test run, from Symposium's own test reporter or from the test runner's output. */
export interface TestReport {
  readonly runner: string;
  readonly counts: TestCounts;
  readonly faults: readonly TestFault[];
  readonly notices: readonly string[];
  /** Whether the test runner reported the end of the run. */
  readonly isComplete: boolean;
  /** Tests that started but didn't finish. */
  readonly running: readonly string[];
}

const noCounts = { passed: 0, failed: 0, skipped: 0, todo: 0, xfailed: 0, xpassed: 0, cancelled: 0 };

/** Counter to increase for each kind of event. Fault events aren't included. */
const counted: Readonly<Record<string, keyof TestCounts>> = {
  pass: "passed",
  skip: "skipped",
  todo: "todo",
  xfailed: "xfailed",
  xpassed: "xpassed",
  cancelled: "cancelled",
};

/**
 * Parses the JSON lines of Symposium's reporters: `begin`, `start`, `pass`, `skip`, `todo`, `xfailed`, `xpassed`, `cancelled`, `fault`,
 * `more` (another error of the last fault), `left` (a file ended), `notice`, `end`. Returns undefined if no reporter started; ignores an
 * incomplete line.
 */
export function readTestEvents(text: string): TestReport | undefined {
  const counts: Record<keyof TestCounts, number> = { ...noCounts };
  const faults: TestFault[] = [];
  const notices = new Set<string>();
  const running = new Map<string, string>();
  let runner: string | undefined;
  let isComplete = false;
  for (const line of text.split("\n")) {
    const event = parsedObject(line);
    if (!event) continue;
    const kind = event["event"];
    const name = textOf(event["name"]);
    if (kind === "begin") runner = [textOf(event["runner"]), textOf(event["version"])].filter(Boolean).join(" ");
    else if (kind === "end") isComplete = true;
    else if (kind === "notice") notices.add(textOf(event["text"]));
    else if (kind === "start") running.set(name, textOf(event["file"]));
    else if (kind === "more") faults.push(merged(faults.pop(), textOf(event["message"]), textOf(event["diff"])));
    else {
      running.delete(name);
      const count = typeof kind === "string" ? counted[kind] : undefined;
      if (count !== undefined) counts[count]++;
      if (kind === "fault") {
        const fault = toFault(event, name);
        if (fault.kind === "test") counts.failed++;
        faults.push(fault);
      }
    }
  }
  if (runner === undefined) return undefined;
  return { runner, counts, faults, notices: [...notices], isComplete, running: isComplete ? [] : runningOf(running) };
}

/**
 * Returns the names of running tests, with the file if the name doesn't contain it. For a file whose tests aren't known, returns only the
 * file.
 */
function runningOf(tests: ReadonlyMap<string, string>): string[] {
  const files = new Set(tests.values());
  const shown = [...tests].filter(([name]) => !files.has(name));
  return shown.map(([name, file]) => (file === "" || name.includes(file) ? name : `${name} (${file})`));
}

const kinds: readonly unknown[] = ["test", "hook", "load", "unhandled", "build"] satisfies FaultKind[];

function toFault(event: Readonly<Record<string, unknown>>, name: string): TestFault {
  const { kind, file, testFile, line, expected, actual, diff } = event;
  return {
    kind: kinds.includes(kind) ? (kind as FaultKind) : "test",
    name,
    message: textOf(event["message"]),
    stack: textOf(event["stack"]),
    output: textOf(event["output"]),
    ...(typeof file === "string" && { file }),
    ...(typeof testFile === "string" && { testFile }),
    ...(typeof line === "number" && { line }),
    ...(typeof diff === "string" && { diff }),
    ...(typeof expected === "string" && typeof actual === "string" && expected !== actual && { expected, actual }),
  };
}

function merged(fault: TestFault | undefined, message: string, diff: string): TestFault {
  const before = fault ?? { kind: "unhandled", name: "", message: "", stack: "", output: "" };
  return { ...before, message: [before.message, message, diff].filter((part) => part !== "").join("\n") };
}
