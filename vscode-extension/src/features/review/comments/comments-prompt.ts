import { fencedCode } from "../../context/content-blocks.js";
import type { Hunk } from "../hunks/hunks.js";
import type { CommentThread } from "./review-comments.js";

/** Maximum number of lines of a change in the prompt. A longer change is reduced to the lines around the comment. */
const maxDiffLines = 60;
const linesAround = 5;

/** Formats a change as a unified diff. A long change is reduced to the lines around `[start, end]` (0-based, in the current file). */
export function changeDiff({ baseStart, removed, added, start: first }: Hunk, start: number, end: number): string {
  const isLong = removed.length + added.length > maxDiffLines;
  const from = isLong ? Math.max(0, start - first - linesAround) : 0;
  const to = isLong ? Math.min(added.length, from + maxDiffLines, end - first + 1 + linesAround) : added.length;
  const shownRemoved = isLong && added.length > 0 ? [] : removed.slice(0, maxDiffLines);
  const shownAdded = added.slice(from, to);
  const left = removed.length + added.length - shownRemoved.length - shownAdded.length;
  return [
    `@@ -${place(baseStart, shownRemoved)} +${place(first + from, shownAdded)} @@`,
    ...shownRemoved.map((line) => `-${withoutEnd(line)}`),
    ...shownAdded.map((line) => `+${withoutEnd(line)}`),
    ...(left > 0 ? [`\\ ${left} more lines of this change`] : []),
  ].join("\n");
}

/** Formats comments on changes as one prompt. `label` returns a file's name for its absolute path. */
export function commentsPrompt(threads: readonly CommentThread[], label: (path: string) => string): string {
  const sorted = threads.toSorted((a, b) => (a.path === b.path ? a.start - b.start : a.path < b.path ? -1 : 1));
  const parts = sorted.map((thread, at) => {
    const number = sorted.length === 1 ? "" : `${at + 1}. `;
    const diff = thread.diff === "" ? [] : [fencedCode(thread.diff, "diff")];
    const words = thread.comments.map(({ text }) => text);
    return [`### ${number}${label(thread.path)}, ${linesOf(thread)}`, ...diff, ...words].join("\n\n");
  });
  const opening = sorted.length === 1 ? "My comment on your change:" : "My comments on your changes:";
  return [opening, ...parts].join("\n\n");
}

function linesOf({ start, end }: CommentThread): string {
  return start === end ? `line ${start + 1}` : `lines ${start + 1} to ${end + 1}`;
}

/** Formats a line range for a diff header. For an empty range, the header has the line before the range. */
function place(start: number, lines: readonly string[]): string {
  return `${lines.length === 0 ? start : start + 1},${lines.length}`;
}

function withoutEnd(line: string): string {
  return line.replace(/\r?\n$/u, "");
}
