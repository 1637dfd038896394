/** Needs no quotes. */
const safeWord = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** A word as a POSIX shell reads it, in quotes where it needs them. */
export function shellWord(word: string): string {
  return safeWord.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
