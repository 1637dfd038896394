import { escapedPattern } from "../../../base/star-pattern.js";

/** Delimiters of a language's comments or strings. */
export interface Marks {
  readonly open: string;
  /** Closing delimiter; a line break for comments or strings that end with their line. */
  readonly close: string;
  /** Whether a backslash in the comment or string escapes the next character. */
  readonly hasEscapes?: boolean;
  /** Whether an unclosed comment or string ends at the end of its line. */
  readonly isOneLine?: boolean;
}

/**
 * Blanks comments and strings between delimiters, including the delimiters, in one pass. Keeps line breaks and offsets; if one delimiter is
 * a prefix of another, the longer one must come first.
 */
export function maskedText(text: string, marks: readonly Marks[]): string {
  const escaped = marks.map(({ open }) => escapedPattern(open));
  const openings = new RegExp(escaped.join("|"), "g");
  const pieces: string[] = [];
  let kept = 0;
  for (let found = openings.exec(text); found; found = openings.exec(text)) {
    const [opening] = found;
    const mark = marks.find(({ open }) => open === opening);
    if (!mark) break;
    const end = endOf(text, found.index + mark.open.length, mark);
    pieces.push(text.slice(kept, found.index), text.slice(found.index, end).replace(/[^\n]/g, " "));
    kept = end;
    openings.lastIndex = end;
  }
  pieces.push(text.slice(kept));
  return pieces.join("");
}

function endOf(text: string, start: number, { close, hasEscapes = false, isOneLine = false }: Marks): number {
  for (let at = start; at < text.length; at++) {
    if (hasEscapes && text[at] === "\\") {
      at++;
      continue;
    }
    // Keep the line break that ends a comment.
    if (close === "\n" && text[at] === "\n") return at;
    if (text.startsWith(close, at)) return at + close.length;
    if (isOneLine && text[at] === "\n") return at;
  }
  return text.length;
}
