/** Lines that are replaced by others; `line` is from 0, in the text before. */
export interface LineChange {
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
