interface Choosable {
  readonly id: string;
  readonly name: string;
}

const numberPattern = /^(?:(?:option|number|no\.?|nr\.?)\s*|#\s*)?(\d{1,9})\s*[.):]?$/i;

/** Finds the item that `text` names by number (from 1), id or name, ignoring case. */
export function choiceIn<Item extends Choosable>(text: string, items: readonly Item[]): Item | undefined {
  const number = numberIn(text);
  if (number !== undefined) return number > 0 ? items[number - 1] : undefined;
  return items.find(({ id, name }) => isWord(text, id) || isWord(text, name));
}

/** Parses a text that is only a number, such as `2.` or `option 2`. */
export function numberIn(text: string): number | undefined {
  const digits = numberPattern.exec(bare(text))?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Whether `text` is only `word`, ignoring case. */
export function isWord(text: string, word: string): boolean {
  return bare(text).toLowerCase() === word.toLowerCase();
}

function bare(text: string): string {
  return text
    .trim()
    .replace(/^[`"'*]+|(?<![`"'*])[`"'*]+$/g, "")
    .trim();
}
