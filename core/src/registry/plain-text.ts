/** Controls, and the marks that turn the direction of writing around. */
const invisible = /[\p{Cc}\u2028-\u202e\u2066-\u2069\s]+/gu;

/** A published text as one line that a terminal or editor shows as it is, `maxLength` characters at most. */
export function plainText(text: string, maxLength = 500): string {
  const line = text.replace(invisible, " ").trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…` : line;
}
