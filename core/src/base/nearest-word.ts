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

/** Edit distance: letters to add, remove or replace. `Infinity` if the lengths differ too much. */
function editsBetween(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > mostEdits) return Infinity;
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let index = 0; index < from.length; index += 1) {
    const next = [index + 1];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (to[column - 1] === from[index] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? Infinity;
}
