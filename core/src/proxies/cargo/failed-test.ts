import { BoundedLines } from "./bounded-lines.js";
import type { CapturedOutput } from "./captured-output.js";
import { tidyOutput, withoutSource } from "./tidy-output.js";

/** A test that failed. */
export interface FailedTest {
  readonly name: string;
  /** Where it panicked, as `file:line:column`. */
  readonly place: string | undefined;
  /** What the panic, or the test's error, says. */
  readonly message: readonly string[];
  /** What it printed before. */
  readonly output: readonly string[];
  /** Lines of output that are missing and that `output` does not count. */
  readonly omitted: number;
  /** Lines of backtraces that were dropped. */
  readonly backtrace: number;
}

const messageLength = { head: 20, tail: 10 };
const outputLength = { head: 6, tail: 10 };

/** Reads what the harness captured of test `name`. */
export function toFailedTest(name: string, captured: CapturedOutput): FailedTest {
  const { lines } = tidyOutput(captured.lines.filter((line) => !doctestFrame.test(line)));
  const panic = findPanic(name, lines);
  const { output, message } = panic ? aroundPanic(lines, panic) : withoutPanic(lines);
  const shown = new BoundedLines(outputLength.head, outputLength.tail).pushAll(tidyOutput(output).lines);
  // What was not kept lies in the middle of the captured lines, and so in what was printed.
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

/** What rustdoc says around the output of a documentation test. */
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
  /** What stands in the same line. */
  readonly message: readonly string[];
}

/** The panic of the test's own thread, else the first of any. */
function findPanic(name: string, lines: readonly string[]): Panic | undefined {
  const panics = lines.flatMap((line, index): (Panic & { thread: string })[] => {
    const [, thread, rest] = /^\s*thread '(.*?)'(?: \(\d+\))? panicked at (.+)$/.exec(line) ?? [];
    if (thread === undefined || rest === undefined) return [];
    // Up to Rust 1.72 the message stood before the place, in quotes.
    const [, message, oldPlace] = /^'(.*)', (\S+:\d+:\d+)$/.exec(rest) ?? [];
    if (message !== undefined && oldPlace !== undefined)
      return [{ thread, index, place: oldPlace, message: [message] }];
    return [{ thread, index, place: rest.replace(/:$/, ""), message: [] }];
  });
  return panics.find(({ thread }) => thread === name) ?? panics[0];
}

/** A test that failed without a panic says why in its last lines, a documentation test that does not compile in all. */
function withoutPanic(lines: readonly string[]): { output: readonly string[]; message: readonly string[] } {
  if (lines.some((line) => /^error(?:\[E\d+\])?: /.test(line))) return { output: [], message: withoutSource(lines) };
  const start = lines.findLastIndex((line) => /^(?:Error: |note: test did not panic)/.test(line));
  return start === -1 ? { output: lines, message: [] } : { output: lines.slice(0, start), message: lines.slice(start) };
}
