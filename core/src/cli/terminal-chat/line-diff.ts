/** One line of a unified diff; `@` stands for lines that are left out. */
interface DiffLine {
  readonly mark: " " | "-" | "+" | "@";
  readonly text: string;
}

const contextLines = 2;
/** Above this many comparisons the changed part is shown as removed and added as a whole. */
const maxComparisons = 1_000_000;

/** The lines that differ, with two lines of context around each change. */
export function lineDiff(oldText: string | undefined, newText: string): readonly DiffLine[] {
  return withContext(allLines(toLines(oldText ?? ""), toLines(newText)));
}

function toLines(text: string): readonly string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function allLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const room = Math.min(before.length, after.length) - head;
  while (tail < room && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const removed = before.slice(head, before.length - tail);
  const added = after.slice(head, after.length - tail);
  return [
    ...marked(" ", before.slice(0, head)),
    ...(removed.length * added.length > maxComparisons
      ? [...marked("-", removed), ...marked("+", added)]
      : changed(removed, added)),
    ...marked(" ", before.slice(before.length - tail)),
  ];
}

function marked(mark: DiffLine["mark"], lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ mark, text }));
}

/** The shortest way from one list to the other, by longest common subsequence. */
function changed(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  const at = (row: number, column: number): number => common[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      common[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: DiffLine[] = [];
  let row = 0;
  let column = 0;
  while (row < before.length || column < after.length) {
    const removed = before[row];
    const added = after[column];
    if (removed !== undefined && removed === added) {
      lines.push({ mark: " ", text: removed });
      row++;
      column++;
    } else if (removed !== undefined && (added === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ mark: "-", text: removed });
      row++;
    } else {
      lines.push({ mark: "+", text: added ?? "" });
      column++;
    }
  }
  return lines;
}

function withContext(lines: readonly DiffLine[]): readonly DiffLine[] {
  const isShown = new Set<number>();
  for (const [index, { mark }] of lines.entries()) {
    if (mark === " ") continue;
    for (let near = index - contextLines; near <= index + contextLines; near++) isShown.add(near);
  }
  const shown: DiffLine[] = [];
  let isGap = false;
  for (const [index, line] of lines.entries()) {
    if (isShown.has(index)) shown.push(line);
    else if (!isGap) shown.push({ mark: "@", text: "" });
    isGap = !isShown.has(index);
  }
  return shown;
}
