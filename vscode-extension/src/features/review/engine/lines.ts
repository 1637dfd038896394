/**
 * The lines of a text, each with its own line ending; joined they are the text again. A last line without an ending
 * is a line of its own, so a missing newline at the end is a difference like any other.
 */
export function splitLines(text: string): string[] {
  const lines: string[] = [];
  let start = 0;
  while (start < text.length) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline + 1;
    lines.push(text.slice(start, end));
    start = end;
  }
  return lines;
}
