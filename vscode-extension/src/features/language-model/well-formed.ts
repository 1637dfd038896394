/**
 * Replaces lone surrogates in all strings and object keys by U+FFFD, since JSON can't encode them and models reject them. Values that
 * aren't JSON stay unchanged.
 */
export function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return wellFormedText(value);
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [wellFormedText(key), wellFormed(member)]));
}

export function wellFormedText(text: string): string {
  // With the u flag, `\p{Surrogate}` matches only lone surrogates.
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

/** Repairs text that arrives in chunks, including surrogate pairs split between two chunks. */
export class ChunkedText {
  #held = "";

  /** Returns the text that can be shown now. If the text ends with a high surrogate, keeps the surrogate for the next chunk. */
  add(chunk: string): string {
    const text = this.#held + chunk;
    const isOpen = /[\ud800-\udbff]$/.test(text);
    this.#held = isOpen ? text.slice(-1) : "";
    return wellFormedText(isOpen ? text.slice(0, -1) : text);
  }

  end(): string {
    const rest = wellFormedText(this.#held);
    this.#held = "";
    return rest;
  }
}
