/** Maximum characters of a diff sent to an agent, about 15,000 tokens. */
const maxChars = 60_000;

/**
 * Shortens a git diff to `bound` characters. Cuts the longest files, so that each file gets a share, and states the number of missing
 * lines.
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

/** Returns the maximum length per file so that the total fits the bound. */
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
  // Cut at line ends, but never in the header that names the file.
  const [head = ""] = file.split("\n", 1);
  const end = Math.max(text.lastIndexOf("\n", share), head.length);
  const missing = text.slice(end + 1).split("\n").length;
  return `${text.slice(0, end)}\n[${missing} more lines]\n`;
}
