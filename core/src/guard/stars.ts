/** Whether `word` is `pattern`, in which a `*` stands for any characters. */
export function matchesStars(pattern: string, word: string | undefined): boolean {
  if (word === undefined) return false;
  if (!pattern.includes("*")) return pattern === word;
  const [head = "", ...tails] = pattern.split("*");
  let from = head.length;
  if (!word.startsWith(head)) return false;
  const last = tails.pop() ?? "";
  for (const part of tails) {
    const found = word.indexOf(part, from);
    if (found === -1) return false;
    from = found + part.length;
  }
  return word.length - last.length >= from && word.endsWith(last);
}
