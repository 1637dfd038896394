const safeWord = /^[A-Za-z0-9_@%+=:,./-]+$/;

export function shellWord(word: string): string {
  return safeWord.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
