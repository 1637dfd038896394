/**
 * Whether a text is as `pattern` says, where `*` stands for any characters. Part by part, and not as a regular expression:
 * strangers write patterns, too.
 */
export function matchesStars(pattern: string, text: string): boolean {
  return matchesPieces(pattern.split("*"), text);
}

/** Whether a text consists of these pieces, with any characters between them. */
export function matchesPieces([first = "", ...others]: readonly string[], text: string): boolean {
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of others) {
    const at = text.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}

/** A regular expression for `text` itself. */
export function escapedPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
