/** The lines from `line` (1-based, default the first), at most `limit` of them, with the ends that they have. */
export function lineRange(text: string, line: number | undefined, limit: number | undefined): string {
  if (line === undefined && limit === undefined) return text;
  const from = indexOfLine(text, Math.max(line ?? 1, 1) - 1, 0);
  const to = limit === undefined ? text.length : indexOfLine(text, Math.max(limit, 0), from);
  return text.slice(from, to);
}

function indexOfLine(text: string, count: number, from: number): number {
  let index = from;
  for (let passed = 0; passed < count; passed++) {
    const end = text.indexOf("\n", index);
    if (end === -1) return text.length;
    index = end + 1;
  }
  return index;
}
