/** Something in a numbered list. */
interface Choosable {
  readonly id: string;
  readonly name: string;
}

const numberPattern = /^(?:(?:option|number|no\.?|nr\.?)\s*|#\s*)?(\d{1,9})\s*[.):]?$/i;

/** The item that `text` names by its number from 1, its id or its name, whatever the case; undefined for all else. */
export function choiceIn<Item extends Choosable>(text: string, items: readonly Item[]): Item | undefined {
  const number = numberIn(text);
  if (number !== undefined) return number > 0 ? items[number - 1] : undefined;
  return items.find(({ id, name }) => isWord(text, id) || isWord(text, name));
}

/** The number that `text` consists of, such as 2 for `2.` or `option 2`. */
export function numberIn(text: string): number | undefined {
  const digits = numberPattern.exec(bare(text))?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Whether `text` says `word` and nothing else, whatever the case. */
export function isWord(text: string, word: string): boolean {
  return bare(text).toLowerCase() === word.toLowerCase();
}

/** Without the quotes and emphasis that people copy along. */
function bare(text: string): string {
  return text
    .trim()
    .replace(/^[`"'*]+|(?<![`"'*])[`"'*]+$/g, "")
    .trim();
}
