import { escapedPattern } from "../../base/star-pattern.js";
import { aroundDifferences, comparedLines, withoutSameLines } from "./difference-lines.js";
import { bounded, foreignCall, linesOf, withoutForeignCalls, withoutSources } from "./shortened-output.js";
import type { TestFault } from "./test-report.js";

/** Display limits for a test fault. */
interface FaultLimits {
  readonly message: readonly [head: number, tail: number];
  readonly output: readonly [head: number, tail: number];
  readonly frames: number;
  readonly names: number;
  /** Whether to omit text that is available elsewhere, such as unchanged diff lines and source excerpts. */
  readonly isShort: boolean;
}

/** Maximum number of a message's characters that are searched for a file and line. */
const maxSearched = 20_000;

export const shortFault: FaultLimits = { message: [20, 6], output: [6, 10], frames: 6, names: 10, isShort: true };
export const wholeFault: FaultLimits = {
  ...{ message: [400, 400], output: [400, 400], frames: 50, names: 1_000 },
  isShort: false,
};

/**
 * Formats a fault: location, test, message, compared values, stack frames in the project, and output. `names` lists all tests with the same
 * fault.
 */
export function faultLines(
  fault: TestFault,
  folder: string,
  limits: FaultLimits,
  names: readonly string[] = [fault.name],
): string[] {
  const place = placeOf(fault, folder);
  const all = linesOf(fault.message).map((line) => withRelativeCause(line, folder));
  const message = limits.isShort && /:\d+$/.test(place) ? withoutSources(all) : all;
  // Compiler messages start with their location.
  const isSaid = place !== "" && message[0]?.startsWith(`${place}:`) === true;
  const named = isSaid && fault.kind === "build" ? "" : namesOf(fault, names, folder, limits.names);
  const kind = fault.kind === "test" ? "" : `(${fault.kind})`;
  // A package's name often ends with its folder.
  const isNamed = isSaid || (place !== "" && named.endsWith(`/${place}`));
  const head = [isNamed ? "" : place, named, kind].filter((part) => part !== "").join(" ");
  const lines = aroundDifferences([...message, ...comparedLines(fault)]);
  const [head0, tail0] = limits.message;
  const said = bounded(limits.isShort ? withoutSameLines(lines, (head0 + tail0) / 2) : lines, ...limits.message);
  const [begin = "", ...more] = said;
  const [first, rest] = isSaid ? [`${head} ${begin}`.trim(), more] : [head, said];
  const frames = ownFrames(fault, folder).slice(0, limits.frames);
  return [
    first,
    ...rest.map(indented),
    ...frames.map((frame) => indented(`at ${frame}`)),
    ...ofFile(fault, folder, [head, ...frames]).map(indented),
    ...printedLines(fault.output, limits),
  ];
}

/** Shortens the place at the end of a line about a cause or a part of an exception. */
function withRelativeCause(line: string, folder: string): string {
  const [, said, path] = /^( *(?:caused by|raised while handling|part \d+): .* \()(\S+:\d+\))$/.exec(line) ?? [];
  return said === undefined || path === undefined ? line : said + relative(path, folder);
}

function printedLines(output: string, limits: FaultLimits): string[] {
  if (output.trim() === "") return [];
  const all = linesOf(output);
  const lines = bounded(limits.isShort ? withoutForeignCalls(all) : all, ...limits.output);
  return lines.length === 1 ? [indented(`printed: ${lines[0]?.trim()}`)] : [" printed:", ...lines.map(indented)];
}

/** Returns a line with the test file, if neither the location nor the stack frames mention it. */
function ofFile({ testFile }: TestFault, folder: string, shown: readonly string[]): string[] {
  if (testFile === undefined) return [];
  const file = relative(testFile, folder);
  return shown.some((line) => line.includes(file)) ? [] : [`in ${file}`];
}

/** Returns the tests' names without their file or package, which is shown separately. */
function namesOf(fault: TestFault, names: readonly string[], folder: string, most: number): string {
  const { file = "", testFile = "" } = fault;
  const files = [file, testFile].map((one) => relative(one, folder)).filter((one) => one !== "");
  const shown = names
    .map((name) => {
      const own = relative(name, folder);
      const within = files.find((one) => own.startsWith(`${one}::`));
      return within === undefined ? own : own.slice(within.length + 2);
    })
    .filter((name) => name !== "" && !files.includes(name));
  const left = shown.length - most;
  return left > 0 ? `${shown.slice(0, most).join("; ")} and ${left} more` : shown.join("; ");
}

/**
 * Returns the fault's file with a line: the line of the innermost stack frame in that file, or else the line in the runner's report or in
 * the message.
 */
function placeOf({ file: from, line, message, stack, testFile }: TestFault, folder: string): string {
  if (from === undefined) return "";
  // If a tool's own code throws an error, at most the message mentions the test file.
  const isForeign = foreignCall.test(relative(from, folder)) && testFile !== undefined;
  const [file, said] = isForeign ? [testFile, undefined] : [from, line];
  const shown = relative(file, folder);
  const call = framesOf(stack).find((frame) => frame.includes(file) || frame.includes(shown));
  const inMessage = new RegExp(`${escapedPattern(shown)}(?::(\\d+)|: .*\\((\\d+):\\d+\\))`).exec(
    message.slice(0, maxSearched),
  );
  const at = /:(\d+)(?::\d+)?\)?(?: \S+)?$/.exec(call ?? "")?.[1] ?? said ?? inMessage?.[1] ?? inMessage?.[2];
  return `${shown}${at === undefined ? "" : `:${at}`}`;
}

/** Returns a path relative to the run's folder if the path is inside that folder. */
export function relative(path: string, folder: string): string {
  const plain = path.replace(/^file:\/\//, "");
  return plain.startsWith(`${folder}/`) || plain.startsWith(`${folder}\\`) ? plain.slice(folder.length + 1) : plain;
}

/**
 * Returns the stack frames in the project, innermost first, except the fault's own location. Returns one frame outside the project if
 * nothing else shows a location.
 */
function ownFrames(fault: TestFault, folder: string): string[] {
  const frames = framesOf(fault.stack);
  const test = fault.name.split(/::|\/| > /).at(-1) ?? "";
  const shown = (frame: string): string => {
    const plain = frame.replaceAll("file://", "").replaceAll(`${folder}/`, "").replaceAll(`${folder}\\`, "");
    const named = plain.replace(/^\? \((.+)\)$/, "$1");
    return test !== "" && named.endsWith(` ${test}`) ? named.slice(0, -test.length - 1) : named;
  };
  const place = placeOf(fault, folder);
  const hasLine = /:\d+$/.test(place);
  const own = frames.filter((frame) => !foreignCall.test(frame)).map(shown);
  const all = own.length > 0 || hasLine ? own : frames.slice(0, 1).map(shown);
  const calls = all.filter((frame, index) => index === 0 || placeIn(frame) !== placeIn(all[index - 1] ?? ""));
  return [...new Set(calls)].filter((frame) => !hasLine || !new RegExp(`${escapedPattern(place)}\\b`).test(frame));
}

function framesOf(stack: string): string[] {
  return linesOf(stack).flatMap((line) => /^\s*at (.+)$/.exec(line)?.[1] ?? []);
}

/** Returns a stack frame's file and line without the column, so that a generator and its caller on the same line are equal. */
function placeIn(frame: string): string {
  return frame.split(/\s+/).flatMap((word) => /^.+:\d+/.exec(word)?.[0] ?? [])[0] ?? frame;
}

function indented(line: string): string {
  return ` ${line}`;
}
