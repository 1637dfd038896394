import type { Hunk } from "../hunks/hunks.js";

/** Maximum length of a removed text behind a line, in characters. */
const maxChars = 160;

/**
 * Returns the removed lines of a change, each with the line that replaces it. If more lines were removed than added, the last new line gets
 * all remaining ones; without new lines, the place of the removal gets them all. `lineCount` is the file's number of lines.
 */
export function removedTexts(
  { start, removed, added }: Pick<Hunk, "start" | "removed" | "added">,
  lineCount: number,
): readonly { readonly line: number; readonly text: string }[] {
  const places = Math.max(1, Math.min(added.length, removed.length));
  return Array.from({ length: removed.length === 0 ? 0 : places }, (_, at) => {
    const isLast = at === places - 1;
    const lines = removed.slice(at, isLast ? undefined : at + 1);
    const text = lines.map((line) => shown(line, added[at] ?? "")).join(" ⏎ ");
    return {
      line: Math.min(start + at, lineCount - 1),
      text: text.length > maxChars ? `${text.slice(0, maxChars)}…` : text,
    };
  });
}

function shown(line: string, replacement: string): string {
  const text = line.replace(/\r?\n$/, "");
  if (text.trim() !== replacement.trim()) return text.trim();
  return text.replaceAll(" ", "·").replaceAll("\t", "→");
}
