import { BoundedLines } from "./bounded-lines.js";

const ansi = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[ -/]*[@-~]`, "g");
const call = /^\s+at /;
/** Calls of libraries and of the languages themselves, in any way that a stack is written. */
export const foreignCall =
  /node_modules|\bnode:|\binternal\/|site-packages|_pytest|\/testing\.go|\/runtime\/|\/src\/(?:time|sync|internal|reflect|os|net)\/|_testmain\.go|\(<anonymous>\)|\(native\)|\(index \d+\)/;

/** What runners write of what is well, and of themselves: a report has it in its first line. */
const chrome: readonly RegExp[] = [
  // Tests and files that passed: mocha, vitest, node, jest, playwright.
  /^\s*(?:✔|✓|√|ok \d+) /,
  /^PASS /,
  /^\s*\d+ passing \(/,
  // The same of bun, and its advice where it finds nothing.
  /^\(pass\) |^bun test v\d|^Tests need "|^Learn more about bun test/,
  // What begins and ends.
  /^\s*RUN\s+v\d/,
  /^=+ (?:test session starts|no tests ran in .*) =+$/,
  /^(?:platform|plugins:|cachedir:|collecting|collected \d) ?/,
  /^\S+\.py\s*(?:[.sxX]+\s*)?(?:\[\s*\d+%\])?$/,
  /^No tests? (?:files? )?found, exiting with code \d+$/,
];

/** Below or above a line of a source, a line that marks a place in it, or nothing. */
const gutter = /^\|[\s^~-]*$/;

/** Calls in Node itself, as it lists them where it ends for want of memory; the reason stands above them. */
const nativeCall = /^\s*\d+: 0x[\da-f]+ /;

/** What bun begins each file with. */
const fileHeading = /^\S.*\.[cm]?[jt]sx?:$/;

/** Lines of a source around the one that is meant (`> 3 | …`), which anybody can read in the file. */
const around = /^\s*(?:\d+ \||\|\s*(?:\^\s*)?$)/;

/** The text as it is without a terminal. */
export function withoutColours(text: string): string {
  return text.replace(ansi, "");
}

/**
 * Begin and end of what a program wrote, without calls of libraries and sources around a place; `isReported` where a report has
 * the tests that passed.
 */
export function shortenedOutput(raw: string, head: number, isReported = false): string[] {
  const lines = linesOf(withoutColours(raw).replace(/([=_-])\1{9,}/g, "$1$1$1"));
  const isSaid = (line: string): boolean => isReported && chrome.some((pattern) => pattern.test(line));
  const told = lines.filter((line) => !isSaid(line) && !gutter.test(line.trim()) && !nativeCall.test(line));
  // A file of which nothing else is said is one that passed.
  const isEmpty = (index: number): boolean =>
    isReported && fileHeading.test(told[index] ?? "") && fileHeading.test(told[index + 1] ?? "end.js:");
  return bounded(withoutSources(withoutForeignCalls(told.filter((_line, index) => !isEmpty(index)))), head, 20);
}

/** Of the calls of libraries that follow one another, the first. */
export function withoutForeignCalls(lines: readonly string[]): string[] {
  return lines.filter(
    (line, index) => !call.test(line) || !foreignCall.test(line) || !call.test(lines[index - 1] ?? ""),
  );
}

/** Of an excerpt of a source, the line that is meant alone. */
export function withoutSources(lines: readonly string[]): readonly string[] {
  return lines.some((line) => /^\s*> *\d+ \|/.test(line)) ? lines.filter((line) => !around.test(line)) : lines;
}

/** The lines with something in them. */
export function linesOf(text: string): string[] {
  const trimmed = text.trimEnd().replace(/^\s*\n/, "");
  return trimmed === "" ? [] : trimmed.split(/\r?\n/).filter((line) => line.trim() !== "");
}

export function bounded(lines: readonly string[], head: number, tail: number): string[] {
  return new BoundedLines(head, tail).pushAll(lines).toLines();
}
