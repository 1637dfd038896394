/** The beginning of a text of any length, with a mark where something is missing. */
export function bounded(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  // Not between the halves of a character.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(maxLength - 1)) ? maxLength - 1 : maxLength;
  return `${text.slice(0, end)}…`;
}

/** `3 uses`, `1 use` */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}
