import { escapedPattern } from "../../base/star-pattern.js";
import { cutLine, omission, omittedIn } from "./bounded-lines.js";
import { linesOf } from "./shortened-output.js";
import type { TestFault } from "./test-report.js";

/** Maximum length of lines near a diff that repeat it. */
const maxComparedLength = 160;
/** Maximum length of the text before a diff, which usually repeats it. */
const maxWordsLength = 100;
/** Number of equal lines shown around differing ones. */
const around = 2;
const marker = /^\s*[-+](?:\s|$)/;
/** Lines that only mark letters of the line above. */
const pointers = /^\s*\?[\s^+-]+$/;
/** Lines of pytest before a diff: the meaning of its signs, and the differing items. */
const signs = /^\s*Full diff: \(/;
const item = /^\s*\{.+\} != \{/;
const attribute = /^\s*Drill down into differing attribute \w+:$/;
const maxItems = 5;
/** Number of characters shown before the first difference of two long lines. */
const shownBefore = 40;
const sides = /^(\s*(?:[-+] ?|expected: |actual: ))(.*)$/s;

/** Returns the compared values unless the message already contains them. */
export function comparedLines({ message, diff, expected, actual }: TestFault): string[] {
  if (diff !== undefined && !message.includes(diff)) return isSaid(message, diff) ? [] : linesOf(diff);
  if (expected === undefined || actual === undefined) return [];
  // Most assertions mention both values in their message.
  if (message.includes(expected) && message.includes(actual)) return [];
  if (/^[ \t]*[+-] ?(?:actual|expected)/m.test(message)) return [];
  return differing(linesOf(expected), linesOf(actual));
}

/** Whether the diff is of a single value and the message contains both sides. */
function isSaid(message: string, diff: string): boolean {
  const values = linesOf(diff).filter((line) => !/^[-+] (?:Expected|Received|Snapshot)\b|^@@ /.test(line));
  const [first = "", second = ""] = values;
  if (values.length !== 2 || !first.startsWith("- ") || !second.startsWith("+ ")) return false;
  return [first, second].every((value) =>
    new RegExp(`(?<!\\w)${escapedPattern(value.slice(2).trim())}(?!\\w)`).test(message),
  );
}

/** Returns two texts without their common start and end, except for two lines around the difference. */
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

/** Shortens a long diff to differing lines with context. Replaces the rest by the number of omitted lines. */
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

/** Cuts pairs of long lines around their first difference, which a cut at the end could remove. */
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
