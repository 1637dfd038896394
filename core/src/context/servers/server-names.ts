/** Maximum length that every agent accepts as a part of tool names. */
const longest = 24;

/**
 * Assigns unique server names of `[a-z0-9_]`, at most 24 characters. Agents normalize other names differently, and some then confuse two
 * servers.
 */
export class ServerNames {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(Array.from(taken, safeName));
  }

  /** Reserves and returns an unused name similar to `name`. */
  add(name: string): string {
    const base = safeName(name);
    let result = base;
    for (let number = 2; this.#taken.has(result); number++) {
      const ending = `_${number}`;
      result = `${base.slice(0, longest - ending.length)}${ending}`;
    }
    this.#taken.add(result);
    return result;
  }
}

/** Normalizes a name to characters that all agents accept. */
export function safeName(name: string): string {
  const cleaned = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, longest)
    .replace(/_+$/, "");
  return cleaned === "" ? "server" : cleaned;
}
