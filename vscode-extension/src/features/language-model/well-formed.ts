/**
 * `value` with every lone surrogate of its texts replaced (U+FFFD): JSON cannot carry one, and models refuse it. Object
 * keys too. Values that JSON does not know are left as they are.
 */
export function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return wellFormedText(value);
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [wellFormedText(key), wellFormed(member)]));
}

/** The same for a text. */
export function wellFormedText(text: string): string {
  // With the flag u, only a surrogate without its other half is one.
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

/** Repairs a text that comes in chunks: a pair that stands on the border of two is whole again. */
export class ChunkedText {
  #held = "";

  /** What of the text so far can be shown; a high surrogate at the end waits for the next chunk. */
  add(chunk: string): string {
    const text = this.#held + chunk;
    const isOpen = /[\ud800-\udbff]$/.test(text);
    this.#held = isOpen ? text.slice(-1) : "";
    return wellFormedText(isOpen ? text.slice(0, -1) : text);
  }

  /** What is left when no chunk follows. */
  end(): string {
    const rest = wellFormedText(this.#held);
    this.#held = "";
    return rest;
  }
}
