import { asObject, parsedObject } from "../../base/rpc/json.js";
import { readJavac } from "./javac-messages.js";
import { readJvmReports } from "./jvm-reports.js";
import { withoutColours } from "./shortened-output.js";
import type { TestFault, TestReport } from "./test-report.js";

/** Events of a build. `report` is the content of an XML report, and `source` is a source file's path. */
interface JvmEvents {
  readonly reports: readonly string[];
  readonly sources: readonly string[];
}

/** Advice that Maven prints after failures, and Maven's own stack frames. */
const advice =
  /^(?:See .* for the individual|See dump files|Please refer to |Command was |Error occurred in starting fork|Crashed tests:|\s+at |\S+:\[\d+,\d+\] |\s+(?:symbol|location): |\s*$)/;
/** Maximum lines read from a failed goal's message. */
const maxGoalLines = 400;
const goalForm =
  /^Failed to execute goal(?: (?:[\w.-]+:)?([\w-]+:[\w.-]+:[\w-]+))?(?: \([^)]*\))?(?: on project ([^:]+))?:(?: (.*))?$/;
const modelForm =
  /^(?:Unknown lifecycle.*|The build could not read.*|Could not find the selected project.*|The goal you specified.*|Unable to parse command line.*)$/;

/**
 * Parses a Maven run: its XML reports, and the compile errors, failed goals and crashed test processes in its output. Returns undefined if
 * the output isn't Maven's.
 */
export function readMaven(raw: string, events: string): TestReport | undefined {
  const text = withoutColours(raw);
  const lines = text.split(/\r?\n/);
  if (!lines.some((line) => /^\[(?:INFO|ERROR|WARNING)\]/.test(line))) return undefined;
  const { reports, sources } = readEvents(events);
  const results = readJvmReports(reports, sources);
  const build = buildFaults(text);
  const isComplete =
    lines.some((line) => /^\[INFO\] BUILD (?:SUCCESS|FAILURE)/.test(line)) || /^\[ERROR\] .*\[Help \d+\]/m.test(text);
  const begun = matchesOf(text, /^(?:\[INFO\] )?Running ([\w.$]+)\s*$/gm);
  const running = begun.filter((name) => !results.classes.has(name));
  const failure = goalFaults(lines, build.length + results.faults.length > 0);
  return {
    runner: "mvn",
    counts: results.counts,
    faults: [...results.faults, ...build, ...failure],
    notices: [...results.notices, ...mavenNotices(text, isComplete ? running : [])],
    isComplete,
    running: isComplete ? [] : running,
  };
}

/** Parses a Gradle run in the same way as {@link readMaven}. */
export function readGradle(raw: string, events: string): TestReport | undefined {
  const text = withoutColours(raw);
  if (!/^(?:BUILD (?:SUCCESSFUL|FAILED)|FAILURE: |> Task |Starting a Gradle|:[\w:-]+$)/m.test(text)) return undefined;
  const { reports, sources } = readEvents(events);
  const { counts, faults, notices } = readJvmReports(reports, sources);
  const build = buildFaults(text);
  const isComplete = /^BUILD (?:SUCCESSFUL|FAILED)/m.test(text);
  return {
    runner: "gradle",
    counts,
    faults: [...faults, ...build, ...taskFaults(text, faults.length > 0, build.length > 0)],
    notices,
    isComplete,
    running: [],
  };
}

function readEvents(events: string): JvmEvents {
  const reports: string[] = [];
  const sources: string[] = [];
  for (const line of events.split("\n")) {
    const { event, text, path } = asObject(parsedObject(line)) ?? {};
    if (event === "report" && typeof text === "string") reports.push(text);
    else if (event === "source" && typeof path === "string") sources.push(path);
  }
  return { reports, sources };
}

/** Returns one fault per compile error. */
function buildFaults(text: string): TestFault[] {
  const errors = readJavac(text).findings.filter(({ level }) => level === "error");
  return errors.map(({ file = "", line, message }) => {
    return { kind: "build", name: "", file, ...(line !== undefined && { line }), message, stack: "", output: "" };
  });
}

/** Returns a fault for each failed Maven goal, unless reports and compiler messages already explain the failure. */
function goalFaults(lines: readonly string[], isTold: boolean): TestFault[] {
  const faults: TestFault[] = [];
  const said = lines.flatMap((line) => /^\[(?:ERROR|FATAL)\] ?(.*)$/.exec(line)?.[1] ?? []);
  said.forEach((line, index) => {
    const goal = goalForm.exec(line);
    if (!goal && !modelForm.test(line)) return;
    const rest = said.slice(index + 1, index + 1 + maxGoalLines);
    const end = rest.findIndex((one) => /^-> \[Help|^To see the full stack trace/.test(one) || goalForm.test(one));
    const more = goal && line.includes("-> [Help") ? [] : rest.slice(0, end === -1 ? undefined : end);
    const first = goal ? (goal[3] ?? "") : line;
    const own = [...new Set([first, ...more.filter((one) => !advice.test(one))].map(plainLine))].filter(
      (one) => one !== "",
    );
    // Maven repeats some exceptions with their class in front; keep only one.
    const plain = own.filter((one) => !own.some((other) => other !== one && one.endsWith(`: ${other}`)));
    if (isTold && plain.every((one) => /^(?:There are test failures|Compilation failure)/.test(one))) return;
    const name = goal ? [goal[2], goal[1]].filter(Boolean).join(" ") : "";
    const message = plain.slice(0, 40).join("\n");
    if (faults.some((one) => one.message === message)) return;
    faults.push({ kind: "build", name, message, stack: "", output: "" });
  });
  return faults;
}

function plainLine(line: string): string {
  return line.replace(/:? -> \[Help \d+\]$/, "").trim();
}

function mavenNotices(text: string, left: readonly string[]): string[] {
  const skipped = /^\[INFO\] Tests are skipped\.$/m.test(text) ? ["The project's configuration skips its tests."] : [];
  const modules = matchesOf(text, /^\[INFO\] (\S.*?) \.+ SKIPPED$/gm);
  return [
    ...skipped,
    ...(/terminated without properly saying goodbye/.test(text) ? ["Tests after it in its module did not run."] : []),
    ...(left.length > 0 ? [`Modules without a report, whose tests are missing here: ${left.join(", ")}.`] : []),
    ...(modules.length > 0 ? [`Modules not run: ${modules.join(", ")}.`] : []),
  ];
}

/** Returns faults from Gradle's "What went wrong" sections, except failed tests and compile errors that are already reported. */
function taskFaults(text: string, hasFailed: boolean, hasBuild: boolean): TestFault[] {
  const parts = text.matchAll(/^(?:\* Where:\n(.*)\n\s*\n)?\* What went wrong:\n([\s\S]*?)(?=\n\* )/gm);
  return [...parts].flatMap(([, where = "", said = ""]) => {
    if (hasFailed && /There were failing tests/.test(said)) return [];
    if (hasBuild && /Compilation (?:failed|error)/.test(said)) return [];
    const name = /Execution failed for task '([^']+)'/.exec(said)?.[1] ?? "";
    const message = said.replace(/^Execution failed for task .*\n/, "").replace(/^[ \t]*> /gm, "");
    const [, file, line] = /^[^']*'(.+)' line: (\d+)/.exec(where) ?? [];
    const at = file === undefined ? {} : { file, line: Number(line) };
    return [{ kind: "build", name, ...at, message: message.trim(), stack: "", output: "" } satisfies TestFault];
  });
}

function matchesOf(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, name = ""]) => name))];
}
