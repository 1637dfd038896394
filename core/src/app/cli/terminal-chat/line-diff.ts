import { structuredPatch } from "diff";

/** Line of a unified diff; `@` marks omitted lines. */
interface DiffLine {
  readonly mark: " " | "-" | "+" | "@";
  readonly text: string;
}

/** Maximum number of changed lines in a diff. With more changes, the whole text is shown as removed and added. */
const maxEditLength = 1_000;

const gap: DiffLine = { mark: "@", text: "" };

/** Lists the differing lines, with two lines of context around each change. */
export function lineDiff(oldText: string | undefined, newText: string): readonly DiffLine[] {
  const before = withEnd(oldText ?? "");
  const after = withEnd(newText);
  const patch = structuredPatch("", "", before, after, undefined, undefined, { context: 2, maxEditLength });
  if (!patch) return [...marked("-", before), ...marked("+", after)];
  const shown: DiffLine[] = [];
  let next = 1;
  for (const { oldStart, oldLines, lines } of patch.hunks) {
    if (oldStart > next) shown.push(gap);
    for (const line of lines)
      shown.push({ mark: line.startsWith("+") ? "+" : line.startsWith("-") ? "-" : " ", text: line.slice(1) });
    next = oldStart + oldLines;
  }
  return next < before.split("\n").length ? [...shown, gap] : shown;
}

/** Adds a missing final line break, so that it isn't shown as a difference. */
function withEnd(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function marked(mark: DiffLine["mark"], text: string): DiffLine[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => ({ mark, text: line }));
}
