import { faultLines, shortFault, wholeFault } from "./fault-lines.js";
import { bounded, linesOf, shortenedOutput, withoutColours } from "./shortened-output.js";
import type { RunExit } from "../../base/runs/run.js";
import type { TestCounts, TestFault, TestReport } from "./test-report.js";

export interface TestRunFacts {
  /** Short name of the run if there is no report: `npm test`. */
  readonly name: string;
  readonly exit: RunExit;
  /** The run's handle, which the detail tools take as an argument. */
  readonly handle: string;
  /** Absolute folder that displayed paths are relative to. */
  readonly folder: string;
  /** Name of the run's folder if the session's folder is another one, for example `packages/app`. */
  readonly place?: string;
  readonly timeoutMs: number;
  /** Complete output of the run. */
  readonly raw: string;
}

/** Summary of a run, with the full text of each fault. */
export interface FormattedRun {
  readonly text: string;
  readonly details: readonly (() => string)[];
}

/** Maximum number of characters by which a report may be longer than the runner's output. */
const maxExtra = 120;
const maxFaults = 30;
const maxRunning = 3;

/**
 * Formats a test run for a model: the verdict from exit code and report, then the location and shortened message of every fault. Combines
 * tests with the same fault; exceeds the runner's output by at most {@link maxExtra} characters, unless that output doesn't explain the
 * failures.
 */
export function formatTestRun(report: TestReport | undefined, facts: TestRunFacts): FormattedRun {
  const unmet = facts.exit.code === 0 ? [] : unmetThresholds(facts.raw);
  const verdict = verdictOf(report, facts, unmet.length > 0);
  const faults = report?.faults ?? [];
  const { folder } = facts;
  const groups = groupsOf(faults);
  const details = faults.map((fault) => () => faultLines(fault, folder, wholeFault).join("\n"));
  const needsRaw = report === undefined || (facts.exit.code !== 0 && faults.length === 0) || !report.isComplete;
  const shown = groups.slice(0, maxFaults);
  const left = faults.length - shown.reduce((count, { faults: same }) => count + same.length, 0);
  const rest = needsRaw ? shortenedOutput(facts.raw, report === undefined ? 15 : 4, report !== undefined) : [];
  const parts = [
    ...shown.flatMap(({ faults: [first, ...others], numbers }) => {
      const names = [first, ...others].map(({ name }) => name);
      const lines = faultLines(withoutRepeated(first, faults), folder, shortFault, names);
      return `${rangeOf(numbers)}) ${lines.join("\n")}`;
    }),
    ...(left > 0 ? [`… ${left} faults left out`] : []),
    // In a long table, the entry that failed may be in the omitted part.
    ...bounded(
      unmet.filter((line) => !rest.some((other) => other.includes(line))).map((line) => `note: ${line}`),
      5,
      0,
    ),
    ...noticeLines(report?.notices ?? []),
    ...rest,
  ];
  const text = [verdict, ...parts].join("\n");
  const raw = facts.raw.trim();
  const isLonger = text.length > raw.length + maxExtra;
  return { text: isLonger && faults.length > 0 && saysAll(raw, faults) ? `${verdict}\n${raw}` : text, details };
}

/** Whether the output mentions every fault. A runner that was interrupted often hasn't printed its faults yet. */
function saysAll(raw: string, faults: readonly TestFault[]): boolean {
  const said = withoutColours(raw);
  return faults.every(({ message, name }) => {
    const [first = ""] = linesOf(message);
    // A fault without a message is mentioned only by its test's name.
    return said.includes(first.trim() || (name.split(/::| > /).at(-1) ?? ""));
  });
}

function verdictOf(report: TestReport | undefined, facts: TestRunFacts, isTooLittleCovered: boolean): string {
  const { exit, handle, timeoutMs, folder } = facts;
  const ended = endOf(exit, timeoutMs);
  const runner = placed(report?.runner ?? facts.name, facts);
  if (report === undefined) return `${runner}: ${ended ?? "exit 0"}, without a report [${handle}]`;
  const isEmpty = report.isComplete && report.faults.length === 0 && countsOf(report.counts, []) === "";
  const counts = isEmpty ? "no test ran" : countsOf(report.counts, report.faults);
  const isGreen = ended === undefined && report.faults.length === 0 && report.isComplete;
  if (isGreen) return `${runner}: ${counts}${isEmpty ? ` [${handle}]` : ""}`;
  const isClean = report.faults.length === 0 && report.isComplete && !isEmpty;
  const contradiction =
    ended === undefined
      ? report.faults.length > 0
        ? "exit 0, but the report lists failures"
        : "exit 0"
      : !isClean
        ? ended
        : exit.endedBy === "timeout"
          ? `${ended} although all tests had finished: something is still open`
          : isTooLittleCovered
            ? `${ended} because coverage is too low`
            : `${ended}, but the report lists no failure`;
  const running = report.running.slice(0, maxRunning).join(", ").replaceAll(`${folder}/`, "");
  const unfinished = report.isComplete ? "" : running === "" ? ", did not finish" : `, stopped in ${running}`;
  return `${runner}: ${[counts, contradiction].filter((part) => part !== "").join(", ")}${unfinished} [${handle}]`;
}

export function placed(name: string, { place = "" }: Pick<TestRunFacts, "place">): string {
  return place === "" ? name : `${name} in ${place}`;
}

export function endOf({ code, signal, startError, endedBy }: RunExit, timeoutMs: number): string | undefined {
  if (startError !== undefined) return `it could not be started (${startError})`;
  if (endedBy === "timeout") return `timed out after ${timeoutMs / 1000} s`;
  if (endedBy === "output-limit") return "stopped because it wrote too much output";
  if (code === 0) return undefined;
  return code === null ? `ended by ${signal ?? "a signal"}` : `exit ${code}`;
}

function countsOf(counts: TestCounts, faults: readonly TestFault[]): string {
  const errors = faults.filter(({ kind }) => kind !== "test").length;
  const named = [
    [counts.failed, "failed"],
    [errors, errors === 1 ? "error" : "errors"],
    [counts.passed, "passed"],
    [counts.skipped, "skipped"],
    [counts.todo, "todo"],
    [counts.cancelled, "cancelled"],
    [counts.xfailed, "failed as expected"],
    [counts.xpassed, "passed unexpectedly"],
  ] as const;
  return named.flatMap(([count, word]) => (count > 0 ? [`${count} ${word}`] : [])).join(", ");
}

interface Group {
  readonly faults: readonly [TestFault, ...TestFault[]];
  /** Numbers of the faults, from 1. */
  readonly numbers: readonly [number, ...number[]];
}

/** Groups test faults with the same cause, such as a failing hook or shared code. */
function groupsOf(faults: readonly TestFault[]): readonly Group[] {
  const groups = new Map<string, { faults: [TestFault, ...TestFault[]]; numbers: [number, ...number[]] }>();
  faults.forEach((fault, index) => {
    const { name: _name, output: _output, line, stack, ...same } = fault;
    // If there is a stack trace, ignore the line, which differs for each test.
    const key = JSON.stringify([same, stack === "" ? [line, fault.name] : stack]);
    const group = groups.get(key);
    if (group) {
      group.faults.push(fault);
      group.numbers.push(index + 1);
    } else groups.set(key, { faults: [fault], numbers: [index + 1] });
  });
  return [...groups.values()];
}

function rangeOf(numbers: readonly [number, ...number[]]): string {
  const [first] = numbers;
  const last = numbers.at(-1) ?? first;
  if (numbers.length === 1) return `${first}`;
  return last - first === numbers.length - 1 ? `${first}-${last}` : numbers.join(", ");
}

/** Returns the fault with its output replaced by a reference, if an earlier fault has the same output. */
function withoutRepeated(fault: TestFault, faults: readonly TestFault[]): TestFault {
  const first = faults.findIndex(({ output }) => output !== "" && output === fault.output);
  return first === -1 || faults[first] === fault ? fault : { ...fault, output: `as ${first + 1})` };
}

/** Messages about low coverage from vitest, c8, nyc, jest, node and pytest-cov. Test reporters don't receive these messages. */
const unmetThreshold =
  /coverage threshold for .* not met|Coverage for .* does not meet|coverage does not meet threshold|Required test coverage of .* not reached|Coverage failure: /;

function unmetThresholds(raw: string): string[] {
  const lines = linesOf(withoutColours(raw)).filter((line) => unmetThreshold.test(line));
  return [...new Set(lines.map((line) => line.trim().replace(/^ℹ /, "")))];
}

function noticeLines(notices: readonly string[]): string[] {
  return bounded(
    // The last lines of a traceback contain the reason.
    notices.map((notice) => `note: ${bounded(linesOf(notice), 1, 3).join(" ")}`),
    5,
    0,
  );
}
