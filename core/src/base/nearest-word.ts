/** Edits that a typing mistake takes at most. */
const mostEdits = 2;

/** Fewer letters begin too many names. */
const fewestLetters = 3;

/**
 * "Did you mean X? " for the one of `known` that was probably meant by `word`, mistyped or cut short (`claude` for
 * `claude-code`), else an empty text.
 */
export function didYouMean(word: string, known: readonly string[]): string {
  const [best] = known
    .map((name) => ({ name, edits: isBeginning(word, name) ? 0 : editsBetween(word, name) }))
    .filter(({ name, edits }) => edits === 0 || (edits <= mostEdits && edits < name.length / 2))
    .sort((a, b) => a.edits - b.edits);
  return best === undefined ? "" : `Did you mean ${best.name}? `;
}

/** Whether `word` is the first words of a name with dashes. */
function isBeginning(word: string, name: string): boolean {
  return word.length >= fewestLetters && name.startsWith(`${word.toLowerCase()}-`);
}

/** How many letters to add, leave out or replace to make one of the other; `Infinity` where that is plainly many. */
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
