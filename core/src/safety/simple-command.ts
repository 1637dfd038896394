/** A word of this form needs no quotes in any shell. */
const plain = /^[A-Za-z0-9_@+=:,./^-]+$/;
/** PowerShell takes typographic quotes for quotes. */
const typographicQuote = /[\u2018-\u201f]/;

/**
 * The words of `text` when every shell would run it as one program with exactly these words: no operator, expansion,
 * assignment, wildcard or escape stands in it. Undefined for everything else, also where it is only hard to say.
 */
export function simpleCommand(text: string, platform: string): readonly string[] | undefined {
  if (typographicQuote.test(text)) return undefined;
  const words: string[] = [];
  let rest = text.trim();
  while (rest !== "") {
    const piece = nextWord(rest, platform);
    if (piece === undefined) return undefined;
    words.push(piece.word);
    rest = piece.rest;
  }
  return words.length === 0 || /^\w+=/.test(words[0] ?? "") ? undefined : words;
}

function nextWord(text: string, platform: string): { word: string; rest: string } | undefined {
  // For cmd.exe a single quote is a letter, so what stands between two of them is not protected there.
  const quotes = platform === "win32" ? /^"([^"$`\\!%\n\r]*)"/ : /^(?:"([^"$`\\!\n\r]*)"|'([^'\n\r]*)')/;
  let word = "";
  let index = 0;
  while (index < text.length && !/[ \t]/.test(text.charAt(index))) {
    const quoted = quotes.exec(text.slice(index));
    if (quoted) {
      word += quoted[1] ?? quoted[2] ?? "";
      index += quoted[0].length;
      continue;
    }
    const character = text.charAt(index);
    if (!plain.test(character)) return undefined;
    word += character;
    index++;
  }
  return { word, rest: text.slice(index).trimStart() };
}
