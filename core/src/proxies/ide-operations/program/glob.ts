/** Whether `text` contains `pattern`, or, where the pattern has a `*`, is all of it: `*` stands for any text. */
export function looksLike(text: string, pattern: string): boolean {
  if (!pattern.includes("*")) return text.includes(pattern);
  const parts = pattern.split(/\*+/);
  const first = parts[0] ?? "";
  const last = parts.at(-1) ?? "";
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
