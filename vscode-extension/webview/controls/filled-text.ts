/** Returns the pieces of `text` for a template, with `{0}`, `{1}` and so on replaced by `parts`, which can be templates. */
export function filledText(text: string, ...parts: readonly unknown[]): readonly unknown[] {
  return text.split(/\{(\d)\}/).map((piece, at) => (at % 2 === 1 ? parts[Number(piece)] : piece));
}
