const shownLength = 240;

/** A regular expression where `query` is one that is safe to run, else its text; case counts when it has upper case. */
export function toPattern(query: string): RegExp {
  const flags = /\p{Lu}/u.test(query.replace(/\\./g, "")) ? "" : "i";
  try {
    // A repeated group that repeats inside can take forever on one line.
    if (!/[+*}]\)*\s*[+*{]/.test(query)) return new RegExp(query, flags);
  } catch {
    // No regular expression: it is meant as text.
  }
  return new RegExp(query.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`), flags);
}

/** The first match in a line; none in those that no one wrote by hand. */
export function matchIn(line: string, pattern: RegExp): number | undefined {
  return line.length > 20_000 ? undefined : pattern.exec(line)?.index;
}

/** A line without what stands around its words; a long one is cut around the place `at`. */
export function shownLine(line: string, at: number): string {
  const text = line.trimEnd();
  if (text.length <= shownLength) return text.trim();
  const from = Math.max(0, Math.min(at - shownLength / 4, text.length - shownLength));
  const cut = text.slice(from, from + shownLength);
  return `${from > 0 ? "…" : ""}${cut.trim()}${from + shownLength < text.length ? "…" : ""}`;
}
