import { escapedPattern } from "../../../base/star-pattern.js";

/** What a language puts between marks: comments and strings. */
export interface Marks {
  readonly open: string;
  /** A line break for what ends with its line. */
  readonly close: string;
  /** A backslash takes the next character with it. */
  readonly hasEscapes?: boolean;
  /** Ends with its line, where nothing closes it. */
  readonly isOneLine?: boolean;
}

/**
 * A text with what stands between marks blanked, the marks included: every other character stays where it is, line breaks
 * included. Of two marks that begin alike, the longer one is to be the first. Takes one pass, whatever the text.
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
    // What ends with its line leaves the line break.
    if (close === "\n" && text[at] === "\n") return at;
    if (text.startsWith(close, at)) return at + close.length;
    if (isOneLine && text[at] === "\n") return at;
  }
  return text.length;
}
