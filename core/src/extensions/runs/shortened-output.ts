import { BoundedLines } from "./bounded-lines.js";

const ansi = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[ -/]*[@-~]`, "g");
const call = /^\s+at /;
/** Stack frames of libraries and language runtimes, in all stack formats. */
export const foreignCall =
  /node_modules|\bnode:|\binternal\/|site-packages|_pytest|\/testing\.go|\/runtime\/|\/src\/(?:time|sync|internal|reflect|os|net)\/|_testmain\.go|\(<anonymous>\)|\(native\)|\(index \d+\)/;

/** Lines about passed tests and about test runners themselves, which the report's first line summarizes. */
const chrome: readonly RegExp[] = [
  // Passed tests and files in mocha, vitest, node, jest and playwright.
  /^\s*(?:✔|✓|√|ok \d+) /,
  /^PASS /,
  /^\s*\d+ passing \(/,
  // Passed tests in bun, and the advice that bun prints if it finds no tests.
  /^\(pass\) |^bun test v\d|^Tests need "|^Learn more about bun test/,
  // Lines that test runners print at the start and end of a run.
  /^\s*RUN\s+v\d/,
  /^=+ (?:test session starts|no tests ran in .*) =+$/,
  /^(?:platform|plugins:|cachedir:|collecting|collected \d) ?/,
  /^\S+\.py\s*(?:[.sxX]+\s*)?(?:\[\s*\d+%\])?$/,
  /^No tests? (?:files? )?found, exiting with code \d+$/,
];

/** Lines next to a source line that are empty or only mark a position. */
const gutter = /^\|[\s^~-]*$/;

/** Native stack frames that Node prints after running out of memory. The reason is printed above them. */
const nativeCall = /^\s*\d+: 0x[\da-f]+ /;

/** Heading that bun prints for each test file. */
const fileHeading = /^\S.*\.[cm]?[jt]sx?:$/;

/** Source lines around the marked line (`> 3 | …`), which can be read in the file. */
const around = /^\s*(?:\d+ \||\|\s*(?:\^\s*)?$)/;

/** Removes terminal control sequences. */
export function withoutColours(text: string): string {
  return text.replace(ansi, "");
}

/**
 * Returns the start and end of a program's output, without stack frames of libraries and without source excerpts. `isReported` also removes
 * lines about passed tests, which the report counts.
 */
export function shortenedOutput(raw: string, head: number, isReported = false): string[] {
  const lines = linesOf(withoutColours(raw).replace(/([=_-])\1{9,}/g, "$1$1$1"));
  const isSaid = (line: string): boolean => isReported && chrome.some((pattern) => pattern.test(line));
  const told = lines.filter((line) => !isSaid(line) && !gutter.test(line.trim()) && !nativeCall.test(line));
  // If no lines follow a file's heading, all tests in the file passed.
  const isEmpty = (index: number): boolean =>
    isReported && fileHeading.test(told[index] ?? "") && fileHeading.test(told[index + 1] ?? "end.js:");
  return bounded(withoutSources(withoutForeignCalls(told.filter((_line, index) => !isEmpty(index)))), head, 20);
}

/** Keeps only the first of consecutive stack frames in libraries. */
export function withoutForeignCalls(lines: readonly string[]): string[] {
  return lines.filter(
    (line, index) => !call.test(line) || !foreignCall.test(line) || !call.test(lines[index - 1] ?? ""),
  );
}

/** Shortens source excerpts to the marked line. */
export function withoutSources(lines: readonly string[]): readonly string[] {
  return lines.some((line) => /^\s*> *\d+ \|/.test(line)) ? lines.filter((line) => !around.test(line)) : lines;
}

/** Returns the lines of a text, omitting blank lines. */
export function linesOf(text: string): string[] {
  const trimmed = text.trimEnd().replace(/^\s*\n/, "");
  return trimmed === "" ? [] : trimmed.split(/\r?\n/).filter((line) => line.trim() !== "");
}

export function bounded(lines: readonly string[], head: number, tail: number): string[] {
  return new BoundedLines(head, tail).pushAll(lines).toLines();
}
