const contextLines = 3;

/**
 * What changes from `before` to `after`, as `diff -u` shows it, in one hunk from the first line that differs to the
 * last. Empty for equal texts. Line ends are part of the lines, so that CRLF stays visible to `patch`.
 */
export function unifiedDiff(before: string, after: string, file: string): string {
  if (before === after) return "";
  const old = linesOf(before);
  const now = linesOf(after);
  const same = commonLength(old, now);
  const tail = commonLength(old.slice(same).reverse(), now.slice(same).reverse());
  const start = Math.max(0, same - contextLines);
  const lead = old.slice(start, same);
  const trail = old.slice(old.length - tail, old.length - tail + contextLines);
  const removed = old.slice(same, old.length - tail);
  const added = now.slice(same, now.length - tail);
  const around = lead.length + trail.length;
  const ranges = `-${range(start, around + removed.length)} +${range(start, around + added.length)}`;
  return [
    `--- ${file}\n+++ ${file}\n@@ ${ranges} @@\n`,
    ...[...marked(" ", lead), ...marked("-", removed), ...marked("+", added), ...marked(" ", trail)],
  ].join("");
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  const differing = a.findIndex((line, index) => line !== b[index]);
  return differing === -1 ? a.length : differing;
}

/** A hunk of no lines stands after the line before it. */
function range(start: number, count: number): string {
  return `${count === 0 ? start : start + 1},${count}`;
}

function marked(mark: string, lines: readonly string[]): string[] {
  return lines.map((line) => mark + (line.endsWith("\n") ? line : `${line}\n\\ No newline at end of file\n`));
}
