import { asObject, textOf } from "../../base/rpc/json.js";

/** `test`: an assertion or exception; `hook`: set-up or tear-down; `load`: a file that does not load; `unhandled`: outside of any test. */
type FaultKind = "test" | "hook" | "load" | "unhandled" | "build";

/** One thing that went wrong in a run of tests. */
export interface TestFault {
  readonly kind: FaultKind;
  readonly name: string;
  /** Absolute, or from the folder of the run. */
  readonly file?: string;
  /** The file of tests that it belongs to, where the place may be in another. */
  readonly testFile?: string;
  /** From 1. */
  readonly line?: number;
  readonly message: string;
  readonly diff?: string;
  readonly expected?: string;
  readonly actual?: string;
  /** Lines of `at …`, innermost first. */
  readonly stack: string;
  /** What the test printed; of the file where the runner knows no better. */
  readonly output: string;
}

/** How many tests ended how. */
export type TestCounts = Readonly<
  Record<"passed" | "failed" | "skipped" | "todo" | "xfailed" | "xpassed" | "cancelled", number>
>;

/** What a runner told of a run, by a reporter of ours or in its own words. */
export interface TestReport {
  readonly runner: string;
  readonly counts: TestCounts;
  readonly faults: readonly TestFault[];
  readonly notices: readonly string[];
  /** Whether it said that it had come to its end. */
  readonly isComplete: boolean;
  /** Tests that had begun and not ended. */
  readonly running: readonly string[];
}

const noCounts = { passed: 0, failed: 0, skipped: 0, todo: 0, xfailed: 0, xpassed: 0, cancelled: 0 };

/** What an event other than a fault counts as. */
const counted: Readonly<Record<string, keyof TestCounts>> = {
  pass: "passed",
  skip: "skipped",
  todo: "todo",
  xfailed: "xfailed",
  xpassed: "xpassed",
  cancelled: "cancelled",
};

/**
 * Reads the lines of JSON that our reporters write: `begin`, `start`, `pass`, `skip`, `todo`, `xfailed`, `xpassed`, `cancelled`,
 * `fault`, `more` (another error of the fault before), `left` (a file has ended), `notice`, `end`. Undefined where no reporter has begun. A line that was cut
 * off is left out.
 */
export function readTestEvents(text: string): TestReport | undefined {
  const counts: Record<keyof TestCounts, number> = { ...noCounts };
  const faults: TestFault[] = [];
  const notices = new Set<string>();
  const running = new Map<string, string>();
  let runner: string | undefined;
  let isComplete = false;
  for (const line of text.split("\n")) {
    const event = parsed(line);
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

/** Names with their files, where those do not stand in the names already; a file alone where none of its tests is there. */
function runningOf(tests: ReadonlyMap<string, string>): string[] {
  const files = new Set(tests.values());
  const shown = [...tests].filter(([name]) => !files.has(name));
  return shown.map(([name, file]) => (file === "" || name.includes(file) ? name : `${name} (${file})`));
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  if (line === "") return undefined;
  try {
    return asObject(JSON.parse(line));
  } catch {
    return undefined;
  }
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
