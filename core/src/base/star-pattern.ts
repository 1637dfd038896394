/** Whether `pattern` matches the whole text; `*` matches any characters. Avoids regular expressions, since patterns may be untrusted. */
export function matchesStars(pattern: string, text: string): boolean {
  return matchesPieces(pattern.split("*"), text);
}

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

export function escapedPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
