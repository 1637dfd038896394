/** What of a diff an agent is told, in characters: about 15,000 tokens. */
const maxChars = 60_000;

/**
 * A diff of git's within a bound: the files with most text are cut, so that each has its share, and say how many lines are
 * missing.
 */
export function boundedDiff(diff: string, bound = maxChars): string {
  const text = diff.trimEnd();
  if (text.length <= bound) return text;
  const files = text.split(/^(?=diff --git )/m);
  const share = shareOf(
    files.map(({ length }) => length),
    bound,
  );
  return files.map((file) => cut(file, share)).join("");
}

/** How long one can be at most, for all together to be within the bound. */
function shareOf(lengths: readonly number[], bound: number): number {
  let [left, count] = [bound, lengths.length];
  for (const length of lengths.toSorted((a, b) => a - b)) {
    if (length * count > left) break;
    left -= length;
    count--;
  }
  return Math.floor(left / Math.max(count, 1));
}

function cut(file: string, share: number): string {
  const text = file.trimEnd();
  if (text.length <= share) return file;
  // Whole lines, but never less than what names the file.
  const [head = ""] = file.split("\n", 1);
  const end = Math.max(text.lastIndexOf("\n", share), head.length);
  const missing = text.slice(end + 1).split("\n").length;
  return `${text.slice(0, end)}\n[${missing} more lines]\n`;
}
