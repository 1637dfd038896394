import { diffArrays } from "diff";
import { comparePositions, type Position } from "../../../base/ide-operations/place.js";
import type { TextEdit } from "../../../base/ide-operations/workspace-edit.js";

/** Applies edits to a text. As in LSP, edits at the same position apply in list order. */
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

/** Replaced lines; `line` is counted from 0 in the old text. */
interface LineChange {
  readonly line: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** Limit of changed lines, beyond which the diff is one single change, because a minimal diff would take too long. */
const maxEditLength = 2_000;

export function lineChanges(before: readonly string[], after: readonly string[]): readonly LineChange[] {
  const parts = diffArrays([...before], [...after], { maxEditLength });
  if (!parts) return [{ line: 0, removed: before, added: after }];
  const changes: { line: number; removed: string[]; added: string[] }[] = [];
  let line = 0;
  let open: (typeof changes)[number] | undefined;
  for (const { value, added, removed } of parts) {
    if (!added && !removed) open = undefined;
    else if (!open) changes.push((open = { line, removed: [], added: [] }));
    if (added) open?.added.push(...value);
    else line += value.length;
    if (removed) open?.removed.push(...value);
  }
  return changes;
}
