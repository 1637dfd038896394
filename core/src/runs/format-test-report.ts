import { BoundedLines, cutLine, omission } from "./bounded-lines.js";
import type { RunExit } from "./run.js";
import type { TestCounts, TestFault, TestReport } from "./test-report.js";

export interface TestRunFacts {
  /** What ran, in short, where there is no report that says it: `npm test`. */
  readonly name: string;
  readonly exit: RunExit;
  /** Of the run, for the tools that show more of it. */
  readonly handle: string;
  /** The folder from which paths are shown, absolute. */
  readonly folder: string;
  readonly timeoutMs: number;
  /** All that the run wrote. */
  readonly raw: string;
}

/** A run in few words, and each of its faults whole. */
export interface FormattedRun {
  readonly text: string;
  readonly details: readonly (() => string)[];
}

/** How many characters a report may be longer than what the runner wrote. */
const maxExtra = 120;
const maxFaults = 30;
const ansi = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[ -/]*[@-~]`, "g");
const maxFrames = 6;
const foreign =
  /node_modules|\bnode:|\binternal\/|site-packages|_pytest|\/testing\.go|\/runtime\/|\/src\/(?:time|sync|internal|reflect|os|net)\/|_testmain\.go|\(<anonymous>\)|\(native\)/;

/**
 * The report of a run for a language model: the verdict by exit code and report together, then place and message of every
 * fault, with what is long bounded. Never longer than what the runner wrote by more than {@link maxExtra} characters.
 */
export function formatTestRun(report: TestReport | undefined, facts: TestRunFacts): FormattedRun {
  const verdict = verdictOf(report, facts);
  const faults = report?.faults ?? [];
  const details = faults.map((fault) => () => faultLines(fault, facts.folder, wholeLimits).join("\n"));
  const needsRaw = report === undefined || (facts.exit.code !== 0 && faults.length === 0) || !report.isComplete;
  const parts = [
    ...faults
      .slice(0, maxFaults)
      .flatMap((fault, index) => [
        `${index + 1}) ${faultLines(withoutRepeated(fault, index, faults), facts.folder, shortLimits).join("\n")}`,
      ]),
    ...(faults.length > maxFaults ? [`… ${faults.length - maxFaults} faults left out`] : []),
    ...noticeLines(report?.notices ?? []),
    ...(needsRaw ? rawLines(facts.raw, report === undefined ? 15 : 4) : []),
  ];
  const text = [verdict, ...parts].join("\n");
  const raw = facts.raw.trim();
  const isLonger = text.length > raw.length + maxExtra;
  return { text: isLonger && faults.length > 0 ? `${verdict}\n${raw}` : text, details };
}

/** Begin and end of what the runner wrote, without calls of libraries. */
export function rawLines(raw: string, head: number): string[] {
  const lines = linesOf(raw.replace(ansi, "").replace(/([=_-])\1{9,}/g, "$1$1$1"));
  return bounded(
    lines.filter(
      (line, index) => !/^\s+at /.test(line) || !foreign.test(line) || !/^\s+at /.test(lines[index - 1] ?? ""),
    ),
    head,
    20,
  );
}

function verdictOf(report: TestReport | undefined, { name, exit, handle, timeoutMs, folder }: TestRunFacts): string {
  const ended = endOf(exit, timeoutMs);
  const runner = report?.runner ?? name;
  if (report === undefined) return `${name}: ${ended ?? "exit 0"}, without a report [${handle}]`;
  const isEmpty = report.isComplete && report.faults.length === 0 && countsOf(report.counts, []) === "";
  const counts = isEmpty ? "no test ran" : countsOf(report.counts, report.faults);
  const isGreen = ended === undefined && report.faults.length === 0 && report.isComplete;
  if (isGreen) return `${runner}: ${counts}${isEmpty ? ` [${handle}]` : ""}`;
  const contradiction =
    ended === undefined
      ? report.faults.length > 0
        ? "exit 0, but the report lists failures"
        : "exit 0"
      : report.faults.length === 0 && report.isComplete && !isEmpty
        ? `${ended}, but the report lists no failure`
        : ended;
  const running = report.running.slice(0, 3).join(", ").replaceAll(`${folder}/`, "");
  const unfinished = report.isComplete
    ? ""
    : `; it did not come to its end${running === "" ? "" : `, and was running ${running}`}`;
  return `${runner}: ${[counts, contradiction].filter((part) => part !== "").join(", ")}${unfinished} [${handle}]`;
}

export function endOf({ code, signal, startError, endedBy }: RunExit, timeoutMs: number): string | undefined {
  if (startError !== undefined) return `it could not be started (${startError})`;
  if (endedBy === "timeout") return `ended after ${timeoutMs / 1000} s`;
  if (endedBy === "output-limit") return "ended, for it wrote too much";
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

interface Limits {
  readonly message: readonly [head: number, tail: number];
  readonly output: readonly [head: number, tail: number];
  readonly frames: number;
}

const shortLimits: Limits = { message: [20, 6], output: [6, 10], frames: maxFrames };
const wholeLimits: Limits = { message: [400, 400], output: [400, 400], frames: 50 };

/** What a fault is: where and which test, what it says, what was compared, its own calls, and what it printed. */
function faultLines(fault: TestFault, folder: string, limits: Limits): string[] {
  const place = placeOf(fault, folder);
  const isPlaceName = fault.name === "" || relative(fault.name, folder) === relative(fault.file ?? "", folder);
  const kind = fault.kind === "test" ? "" : ` (${fault.kind})`;
  const message = linesOf(fault.message);
  // What compilers say begins with its place.
  const isSaid = place !== "" && message[0]?.startsWith(`${place}:`) === true;
  const head =
    [isSaid ? "" : place, isPlaceName ? "" : nameOf(fault, folder)].filter((part) => part !== "").join(" ") + kind;
  const compared = comparedLines(fault);
  const frames = ownFrames(fault, folder).slice(0, limits.frames);
  return [
    head,
    ...bounded(withoutSameLines([...message, ...compared], limits), ...limits.message).map(indented),
    ...frames.map((frame) => indented(`at ${frame}`)),
    ...ofFile(fault, folder, [head, ...frames]).map(indented),
    ...(fault.output.trim() === ""
      ? []
      : [indented("it printed:"), ...bounded(linesOf(fault.output), ...limits.output).map(indented)]),
  ];
}

/** The file of tests, where neither place nor calls are in it. */
function ofFile({ testFile }: TestFault, folder: string, shown: readonly string[]): string[] {
  if (testFile === undefined) return [];
  const file = relative(testFile, folder);
  return shown.some((line) => line.includes(file)) ? [] : [`in ${file}`];
}

/** pytest's names begin with the file, which stands before them. */
function nameOf({ name, file = "" }: TestFault, folder: string): string {
  const from = relative(file, folder);
  return name.startsWith(`${from}::`) ? name.slice(from.length + 2) : name;
}

function comparedLines({ message, diff, expected, actual }: TestFault): string[] {
  if (diff !== undefined && !message.includes(diff)) return linesOf(diff);
  if (expected === undefined || actual === undefined) return [];
  // Most assertions say both in their message.
  if (message.includes(expected) && message.includes(actual)) return [];
  if (/^[ \t]*[+-] ?(?:actual|expected)/m.test(message)) return [];
  return differing(linesOf(expected), linesOf(actual));
}

/** Two texts without what they have in common at their begin and end, but for two lines around. */
function differing(expected: readonly string[], actual: readonly string[]): string[] {
  const shorter = Math.min(expected.length, actual.length);
  let begin = 0;
  while (begin < shorter && expected[begin] === actual[begin]) begin++;
  let end = 0;
  while (end < shorter - begin && expected.at(-1 - end) === actual.at(-1 - end)) end++;
  const [before, after] = [Math.max(0, begin - around), Math.max(0, end - around)];
  const shown = (name: string, lines: readonly string[]): string[] => {
    const [first = "", ...rest] = lines.slice(before, lines.length - after);
    return before === 0
      ? [`${name}: ${first}`, ...rest]
      : [`${name}, from line ${before + 1} of ${lines.length}:`, first, ...rest];
  };
  return [...shown("expected", expected), ...shown("actual", actual)];
}

/** Of a line beside a difference that says the same. */
const maxComparedLength = 160;
/** How many lines that are equal are shown around those that differ. */
const around = 2;
const marker = /^\s*[-+?](?:\s|$)/;

/** Of a long difference, what differs and a little around it; in between, how many lines are left out. */
function withoutSameLines(lines: readonly string[], limits: Limits): readonly string[] {
  const [head, tail] = limits.message;
  if (limits === wholeLimits || lines.length <= (head + tail) / 2 || !lines.some((line) => marker.test(line)))
    return lines;
  const isShown = (index: number): boolean =>
    index === 0 || lines.slice(Math.max(0, index - around), index + around + 1).some((line) => marker.test(line));
  const shown: string[] = [];
  let left = 0;
  lines.forEach((line, index) => {
    if (!isShown(index)) left++;
    else {
      if (left > 0) shown.push(omission(left));
      left = 0;
      shown.push(cutLine(line, maxComparedLength));
    }
  });
  if (left > 0) shown.push(omission(left));
  return shown;
}

/** The line is that of the innermost call in the file where the runner says none. */
function placeOf({ file, line: said, stack }: TestFault, folder: string): string {
  if (file === undefined) return "";
  const call = linesOf(stack).find((frame) => frame.includes(file) || frame.includes(relative(file, folder)));
  const line = said ?? /:(\d+)(?::\d+)?\)?$/.exec(call ?? "")?.[1];
  return `${relative(file, folder)}${line === undefined ? "" : `:${line}`}`;
}

export function relative(path: string, folder: string): string {
  const plain = path.replace(/^file:\/\//, "");
  return plain.startsWith(`${folder}/`) || plain.startsWith(`${folder}\\`) ? plain.slice(folder.length + 1) : plain;
}

/** The project's own calls, innermost first, without the one that is the place already; one foreign call where there are no others. */
function ownFrames(fault: TestFault, folder: string): string[] {
  const frames = linesOf(fault.stack).flatMap((line) => /^\s*at (.+)$/.exec(line)?.[1] ?? []);
  const shown = (frame: string): string =>
    frame.replaceAll("file://", "").replaceAll(`${folder}/`, "").replaceAll(`${folder}\\`, "");
  const own = frames.filter((frame) => !foreign.test(frame)).map(shown);
  const all = own.length > 0 ? own : frames.slice(0, 1).map(shown);
  const place = placeOf(fault, folder);
  const calls = all.filter((frame, index) => index === 0 || placeIn(frame) !== placeIn(all[index - 1] ?? ""));
  return [...new Set(calls)].filter((frame) => !/:\d+$/.test(place) || !new RegExp(`${escaped(place)}\\b`).test(frame));
}

/** A generator and what drives it are in one line. */
function placeIn(frame: string): string {
  return /\S+:\d+/.exec(frame)?.[0] ?? frame;
}

/** What was printed before is not said again. */
function withoutRepeated(fault: TestFault, index: number, faults: readonly TestFault[]): TestFault {
  const first = faults.findIndex(({ output }) => output !== "" && output === fault.output);
  return first === -1 || first === index ? fault : { ...fault, output: `as ${first + 1})` };
}

function noticeLines(notices: readonly string[]): string[] {
  return bounded(
    // Where a notice is a traceback, its end says what happened.
    notices.map((notice) => `note: ${bounded(linesOf(notice), 1, 3).join(" ")}`),
    5,
    0,
  );
}

function bounded(lines: readonly string[], head: number, tail: number): string[] {
  return new BoundedLines(head, tail).pushAll(lines).toLines();
}

function linesOf(text: string): string[] {
  const trimmed = text.trimEnd().replace(/^\s*\n/, "");
  return trimmed === "" ? [] : trimmed.split(/\r?\n/).filter((line) => line.trim() !== "");
}

function indented(line: string): string {
  return `   ${line}`;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
