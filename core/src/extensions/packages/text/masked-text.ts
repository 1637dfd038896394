import { escapedPattern } from "../../../base/star-pattern.js";

/** Delimiters of a language's comments or strings. */
export interface Marks {
  readonly open: string;
  /** A line break if the text ends with its line. */
  readonly close: string;
  /** Whether a backslash escapes the next character. */
  readonly hasEscapes?: boolean;
  /** Whether the text ends with its line if unclosed. */
  readonly isOneLine?: boolean;
}

/**
 * Blanks text between marks, including the marks. Preserves other characters' offsets and line breaks. If one mark is a prefix of another,
 * the longer one must come first. Takes one pass for any text.
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
    // Preserves the line break at the end.
    if (close === "\n" && text[at] === "\n") return at;
    if (text.startsWith(close, at)) return at + close.length;
    if (isOneLine && text[at] === "\n") return at;
  }
  return text.length;
}
