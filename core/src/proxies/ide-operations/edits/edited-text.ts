import { comparePositions, type Position } from "../../../ide-operations/place.js";
import type { TextEdit } from "../../../ide-operations/workspace-edit.js";

/** A text with edits made, as LSP orders them: by place, and those at one place as they come. */
export function editedText(text: string, edits: readonly TextEdit[]): string {
  const starts = lineStarts(text);
  const sorted = edits
    .map((edit, index) => ({ edit, index }))
    .toSorted((a, b) => comparePositions(a.edit.range.start, b.edit.range.start) || a.index - b.index);
  let result = "";
  let end = 0;
  for (const { edit } of sorted) {
    const from = Math.max(offsetOf(text, starts, edit.range.start), end);
    result += text.slice(end, from) + edit.newText;
    end = Math.max(offsetOf(text, starts, edit.range.end), from);
  }
  return result + text.slice(end);
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\n|\r/g)) starts.push(match.index + match[0].length);
  return starts;
}

function offsetOf(text: string, starts: readonly number[], { line, character }: Position): number {
  const start = starts[line];
  if (start === undefined) return text.length;
  const next = starts[line + 1];
  const end = next === undefined ? text.length : endWithoutBreak(text, next);
  return Math.min(start + character, end);
}

function endWithoutBreak(text: string, next: number): number {
  return text.startsWith("\r\n", next - 2) ? next - 2 : next - 1;
}

/** Lines that are replaced by others; `line` is from 0, in the text before. */
interface LineChange {
  readonly line: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** What differs between two texts, for people: exact where lines are changed in place, else the shortest middle part. */
export function lineChanges(before: readonly string[], after: readonly string[]): readonly LineChange[] {
  if (before.length === after.length) return changesInPlace(before, after);
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  return [
    { line: start, removed: before.slice(start, before.length - end), added: after.slice(start, after.length - end) },
  ];
}

function changesInPlace(before: readonly string[], after: readonly string[]): readonly LineChange[] {
  const changes: { line: number; removed: string[]; added: string[] }[] = [];
  for (const [line, text] of before.entries()) {
    const changed = after[line] ?? "";
    if (text === changed) continue;
    const last = changes.at(-1);
    if (last && last.line + last.removed.length === line) {
      last.removed.push(text);
      last.added.push(changed);
    } else changes.push({ line, removed: [text], added: [changed] });
  }
  return changes;
}
