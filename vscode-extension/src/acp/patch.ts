import { structuredPatch } from "diff";

/** A unified diff as the view shows it: hunks without file header. */
interface Patch {
  readonly patch: string;
  /** Lines, counted over the whole change even where `patch` is cut. */
  readonly added: number;
  readonly removed: number;
  /** `patch` holds only the beginning. */
  readonly isCut: boolean;
}

const maxLines = 400;
const maxLineChars = 2_000;
/** Two long texts without anything in common would keep the extension host busy for seconds. */
const timeoutMs = 150;

/** What leads from `oldText` to `newText`, with three lines of context; bounded in size and in time. */
export function unifiedPatch(oldText: string, newText: string): Patch {
  const diff = structuredPatch("", "", oldText, newText, "", "", { context: 3, timeout: timeoutMs });
  const hunks = diff?.hunks ?? [replacement(oldText, newText)];
  const lines: string[] = [];
  let added = 0;
  let removed = 0;
  let isCut = false;
  for (const hunk of hunks) {
    lines.push(`@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`);
    for (const line of hunk.lines) {
      if (line.startsWith("+")) added++;
      else if (line.startsWith("-")) removed++;
      if (line.length > maxLineChars) isCut = true;
      if (lines.length < maxLines) lines.push(line.length > maxLineChars ? `${line.slice(0, maxLineChars)}…` : line);
      else isCut = true;
    }
  }
  return { patch: lines.slice(0, maxLines).join("\n"), added, removed, isCut };
}

interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

function replacement(oldText: string, newText: string): Hunk {
  const removed = linesOf(oldText).map((line) => `-${line}`);
  const added = linesOf(newText).map((line) => `+${line}`);
  const lines = [...removed, ...added];
  return { oldStart: 1, oldLines: removed.length, newStart: 1, newLines: added.length, lines };
}

function linesOf(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
