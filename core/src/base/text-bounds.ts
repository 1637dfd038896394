export function utf8Length(text: string): number {
  let length = 0;
  for (const character of text) length += bytesOf(character);
  return length;
}

/** Truncates `text` to at most `limit` UTF-8 bytes. Truncated text ends with `…`. */
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
 * Joins as many `items` as fit into `limit` bytes, one per line; `rest` formats the line with the number of omitted items. Truncates the
 * first item instead of omitting it.
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
