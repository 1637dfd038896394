/** Maximum edit distance of a typing mistake. */
const mostEdits = 2;

/** Minimum length of an abbreviation; shorter words are prefixes of too many names. */
const fewestLetters = 3;

/**
 * Returns "Did you mean X? " for the closest member of `known`, mistyped or abbreviated (`claude` for `claude-code`), otherwise an empty
 * text.
 */
export function didYouMean(word: string, known: readonly string[]): string {
  const [best] = known
    .map((name) => ({ name, edits: isBeginning(word, name) ? 0 : editsBetween(word, name) }))
    .filter(({ name, edits }) => edits === 0 || (edits <= mostEdits && edits < name.length / 2))
    .sort((a, b) => a.edits - b.edits);
  return best === undefined ? "" : `Did you mean ${best.name}? `;
}

/** Whether `word` consists of the first words of a dashed name. */
function isBeginning(word: string, name: string): boolean {
  return word.length >= fewestLetters && name.startsWith(`${word.toLowerCase()}-`);
}

/** Returns the edit distance of two texts: the number of added, removed, replaced or swapped letters. */
export function editsBetween(from: string, to: string): number {
  let [before, last]: [readonly number[], readonly number[]] = [
    [],
    Array.from({ length: to.length + 1 }, (_, at) => at),
  ];
  for (let row = 1; row <= from.length; row++) {
    const next = [row];
    for (let at = 1; at <= to.length; at++) {
      const isSame = from[row - 1] === to[at - 1];
      const isSwapped = row > 1 && at > 1 && from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1];
      const edits = [(last[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1, (last[at - 1] ?? 0) + (isSame ? 0 : 1)];
      next.push(Math.min(...edits, ...(isSwapped ? [(before[at - 2] ?? 0) + 1] : [])));
    }
    [before, last] = [last, next];
  }
  return last[to.length] ?? 0;
}
