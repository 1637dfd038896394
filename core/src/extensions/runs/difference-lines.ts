import { escapedPattern } from "../../base/star-pattern.js";
import { cutLine, omission, omittedIn } from "./bounded-lines.js";
import { linesOf } from "./shortened-output.js";
import type { TestFault } from "./test-report.js";

/** Maximum length of lines near a diff that are compared with it, to find lines that only repeat it. */
const maxComparedLength = 160;
/** Maximum length of the text before a diff, which usually repeats the diff. */
const maxWordsLength = 100;
/** Number of unchanged lines shown before and after differing lines. */
const around = 2;
const marker = /^\s*[-+](?:\s|$)/;
/** Lines that only mark characters of the line above. */
const pointers = /^\s*\?[\s^+-]+$/;
/** Lines that pytest prints before a diff: the legend and the list of differing items. */
const signs = /^\s*Full diff: \(/;
const item = /^\s*\{.+\} != \{/;
const attribute = /^\s*Drill down into differing attribute \w+:$/;
const maxItems = 5;
/** Number of characters shown before the first difference of two long lines. */
const shownBefore = 40;
const sides = /^(\s*(?:[-+] ?|expected: |actual: ))(.*)$/s;

/** Returns lines with the compared values, unless the message already contains these values. */
export function comparedLines({ message, diff, expected, actual }: TestFault): string[] {
  if (diff !== undefined && !message.includes(diff)) return isSaid(message, diff) ? [] : linesOf(diff);
  if (expected === undefined || actual === undefined) return [];
  // Most assertion messages contain both values.
  if (message.includes(expected) && message.includes(actual)) return [];
  if (/^[ \t]*[+-] ?(?:actual|expected)/m.test(message)) return [];
  return differing(linesOf(expected), linesOf(actual));
}

/** Whether the diff compares single values and the message contains both. */
function isSaid(message: string, diff: string): boolean {
  const values = linesOf(diff).filter((line) => !/^[-+] (?:Expected|Received|Snapshot)\b|^@@ /.test(line));
  const [first = "", second = ""] = values;
  if (values.length !== 2 || !first.startsWith("- ") || !second.startsWith("+ ")) return false;
  return [first, second].every((value) =>
    new RegExp(`(?<!\\w)${escapedPattern(value.slice(2).trim())}(?!\\w)`).test(message),
  );
}

/** Returns the differing parts of two texts with two lines of context; omits their common start and end. */
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

/** Shortens a long diff to the differing lines with some context. Each omitted part is replaced by its number of lines. */
export function withoutSameLines(all: readonly string[], maxLines: number): readonly string[] {
  const lines = all.filter((line) => !pointers.test(line));
  if (lines.length <= maxLines || !lines.some((line) => marker.test(line))) return lines;
  const items = new Set(lines.flatMap((line, index) => (item.test(line) ? [index] : [])).slice(0, maxItems));
  const isSaidBefore = (index: number): boolean =>
    items.has(index) || signs.test(lines[index] ?? "") || attribute.test(lines[index - 1] ?? "");
  const isShown = (index: number): boolean =>
    index === 0 ||
    isSaidBefore(index) ||
    lines.slice(Math.max(0, index - around), index + around + 1).some((line) => marker.test(line));
  const shown: string[] = [];
  let left = 0;
  lines.forEach((line, index) => {
    if (!isShown(index)) left += omittedIn(line) ?? 1;
    else {
      if (left > 0) shown.push(omission(left));
      left = 0;
      shown.push(cutLine(line, index === 0 ? maxWordsLength : maxComparedLength));
    }
  });
  if (left > 0) shown.push(omission(left));
  return shown;
}

/** Shortens pairs of long lines to the text around their first difference. Cutting the end instead could remove the difference. */
export function aroundDifferences(lines: readonly string[]): readonly string[] {
  const shown: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const next = pointers.test(lines[at + 1] ?? "") ? at + 2 : at + 1;
    const pair = cutPair(line, lines[next] ?? "");
    if (!pair) shown.push(line);
    else {
      shown.push(...pair);
      at = pointers.test(lines[next + 1] ?? "") ? next + 1 : next;
    }
  }
  return shown;
}

function cutPair(one: string, other: string): readonly string[] | undefined {
  if (Math.max(one.length, other.length) <= maxComparedLength) return undefined;
  const [, side, text] = sides.exec(one) ?? [];
  const [, otherSide, otherText] = sides.exec(other) ?? [];
  if (text === undefined || otherText === undefined || side?.trim() === otherSide?.trim()) return undefined;
  let same = 0;
  while (same < text.length && text[same] === otherText[same]) same++;
  if (same <= shownBefore * 2) return undefined;
  const left = `… ${same - shownBefore} identical characters left out …`;
  return [
    `${side}${left}${text.slice(same - shownBefore)}`,
    `${otherSide}${left}${otherText.slice(same - shownBefore)}`,
  ];
}
