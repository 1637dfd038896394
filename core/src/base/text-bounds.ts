/** How many bytes `text` takes in UTF-8. */
export function utf8Length(text: string): number {
  let length = 0;
  for (const character of text) length += bytesOf(character);
  return length;
}

/** `text` in at most `limit` bytes of UTF-8; what was cut is replaced with `…`. */
export function cutToBytes(text: string, limit: number): string {
  if (text.length * 3 <= limit || utf8Length(text) <= limit) return text;
  let length = bytesOf("…");
  let end = 0;
  for (const character of text) {
    length += bytesOf(character);
    if (length > limit) break;
    end += character.length;
  }
  return `${text.slice(0, end).trimEnd()}…`;
}

/**
 * The first `items`, joined by line breaks, in at most `limit` bytes; `rest` gives the line that says how many were
 * left out. The first item is cut rather than left out.
 */
export function boundedList(items: readonly string[], limit: number, rest: (count: number) => string): string {
  if (utf8Length(items.join("\n")) <= limit) return items.join("\n");
  const bytesLeft = limit - utf8Length(rest(items.length)) - 1;
  const taken: string[] = [];
  let length = 0;
  for (const item of items) {
    length += utf8Length(item) + 1;
    if (length - 1 > bytesLeft) break;
    taken.push(item);
  }
  const [first] = items;
  if (taken.length === 0 && first !== undefined && bytesLeft > 0) taken.push(cutToBytes(first, bytesLeft));
  const left = items.length - taken.length;
  return (left === 0 ? taken : [...taken, rest(left)]).join("\n");
}

function bytesOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}
