/** The longest name that every agent takes as part of the names of tools. */
const longest = 24;

/**
 * Names under which agents get servers: `[a-z0-9_]`, at most 24 characters, each once. Agents that clean names by themselves do
 * it each in another way, and some take two that differ only in that for one.
 */
export class ServerNames {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(Array.from(taken, safeName));
  }

  /** A name like `name` that nobody has yet; it is taken then. */
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

/** A name in the characters that all agents take. */
export function safeName(name: string): string {
  const cleaned = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, longest)
    .replace(/_+$/, "");
  return cleaned === "" ? "server" : cleaned;
}
