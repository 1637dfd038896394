import { escapedPattern } from "../base/star-pattern.js";
import { cutLine, omission } from "./bounded-lines.js";
import { linesOf } from "./raw-lines.js";
import type { TestFault } from "./test-report.js";

/** Of a line beside a difference that says the same. */
const maxComparedLength = 160;
/** Of the words before a difference, which mostly say again what differs. */
const maxWordsLength = 100;
/** How many lines that are equal are shown around those that differ. */
const around = 2;
const marker = /^\s*[-+](?:\s|$)/;
/** Lines that only point at letters of the line above them. */
const pointers = /^\s*\?[\s^+-]+$/;

/** What an assertion compared, as far as its message does not say it already. */
export function comparedLines({ message, diff, expected, actual }: TestFault): string[] {
  if (diff !== undefined && !message.includes(diff)) return isSaid(message, diff) ? [] : linesOf(diff);
  if (expected === undefined || actual === undefined) return [];
  // Most assertions say both in their message.
  if (message.includes(expected) && message.includes(actual)) return [];
  if (/^[ \t]*[+-] ?(?:actual|expected)/m.test(message)) return [];
  return differing(linesOf(expected), linesOf(actual));
}

/** Whether a difference is of one value, and the message has both. */
function isSaid(message: string, diff: string): boolean {
  const values = linesOf(diff).filter((line) => !/^[-+] (?:Expected|Received|Snapshot)\b|^@@ /.test(line));
  const [first = "", second = ""] = values;
  if (values.length !== 2 || !first.startsWith("- ") || !second.startsWith("+ ")) return false;
  return [first, second].every((value) =>
    new RegExp(`(?<!\\w)${escapedPattern(value.slice(2).trim())}(?!\\w)`).test(message),
  );
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

/** Of a long difference, what differs and a little around it; in between, how many lines are left out. */
export function withoutSameLines(all: readonly string[], maxLines: number): readonly string[] {
  const lines = all.filter((line) => !pointers.test(line));
  if (lines.length <= maxLines || !lines.some((line) => marker.test(line))) return lines;
  const isShown = (index: number): boolean =>
    index === 0 || lines.slice(Math.max(0, index - around), index + around + 1).some((line) => marker.test(line));
  const shown: string[] = [];
  let left = 0;
  lines.forEach((line, index) => {
    if (!isShown(index)) left++;
    else {
      if (left > 0) shown.push(omission(left));
      left = 0;
      shown.push(cutLine(line, index === 0 ? maxWordsLength : maxComparedLength));
    }
  });
  if (left > 0) shown.push(omission(left));
  return shown;
}
