import { createHash } from "node:crypto";
import { basename } from "node:path";

/**
 * esbuild's chunks by name without extension, and the files into which they are joined. esbuild makes a chunk for every set of entries
 * that share modules. One start would load ninety chunks; after joining, it reads a few files.
 */
export class ChunkGraph {
  #outputs;
  #fileOf = new Map();
  /** The chunks of each file, by its name without extension. */
  files = new Map();

  /**
   * `outputs` are those of esbuild's metafile; `entries` match source files that are loaded on demand. Each of `first`
   * becomes a file with all that its entries need to start and no file before it has; rows with the same name share a file. Each of
   * `shared` becomes one with what both its entries and its `others` need; so does a row of `first` that has `others`. Each of `together`
   * has groups of
   * which most starts load several: what more than one of them needs becomes one file, and each group another. Each of `later` becomes
   * one with what nothing but its entries and its `others` needs. What is left stays a file for each chunk.
   */
  constructor(outputs, { first, shared = [], together = [], later }) {
    this.#outputs = new Map(Object.entries(outputs).map(([path, output]) => [chunkName(path), output]));
    const all = [...this.#outputs].flatMap(([chunk, { entryPoint }]) => (entryPoint ? [{ chunk, entryPoint }] : []));
    const groups = [...first, ...shared, ...together.flatMap((one) => one.groups), ...later];
    const stale = groups.filter(({ entries, others = entries }) =>
      [entries, others].some((wanted) => !all.some(({ entryPoint }) => wanted.test(entryPoint))),
    );
    if (stale.length > 0)
      throw new Error(`No file matches the entries of ${stale.map(({ name }) => name).join(", ")}.`);
    const neededBy = (wanted) => this.#neededByAll(all.filter(({ entryPoint }) => wanted.test(entryPoint)));
    const neededByBoth = ({ entries, others = entries }) => {
      const both = new Set(neededBy(others));
      return neededBy(entries).filter((chunk) => both.has(chunk));
    };
    for (const row of first) this.#add(row.name, neededByBoth(row));
    for (const row of shared) this.#addNamed(row.name, neededByBoth(row));
    for (const { name, groups } of together) {
      const needs = groups.map(({ entries }) => neededBy(entries));
      const shared = [...new Set(needs.flat())].filter(
        (chunk) => needs.filter((own) => own.includes(chunk)).length > 1,
      );
      this.#addNamed(name, shared);
      for (const [index, group] of groups.entries()) this.#addNamed(group.name, needs[index]);
    }
    for (const { name, entries, others = entries } of later) {
      const strangers = all.filter(({ entryPoint }) => !entries.test(entryPoint) && !others.test(entryPoint));
      const foreign = new Set(this.#neededByAll(strangers));
      this.#addNamed(
        name,
        neededBy(entries).filter((chunk) => !foreign.has(chunk)),
      );
    }
    for (const chunk of this.#outputs.keys()) this.#add(chunk, [chunk]);
  }

  /** The name of the file that has this chunk. */
  fileOf(chunk) {
    return this.#fileOf.get(chunk);
  }

  /** The same, by a name that says what is in it: a process that runs never takes another build's file for its own. */
  #addNamed(name, chunks) {
    this.#add(`${name}-${hashOf(chunks)}`, chunks);
  }

  /** Makes a file of those of the chunks that no file has. */
  #add(file, chunks) {
    const added = chunks.filter((chunk) => !this.#fileOf.has(chunk));
    if (added.length > 0) this.files.set(file, [...(this.files.get(file) ?? []), ...added]);
    for (const chunk of added) this.#fileOf.set(chunk, file);
  }

  #neededByAll(entries) {
    return [...entries.reduce((needed, { chunk }) => this.#neededBy(chunk, needed), new Set())];
  }

  /** The chunk and those without which it does not start, each after what it needs. */
  #neededBy(chunk, needed) {
    for (const { path, kind, external } of this.#outputs.get(chunk).imports) {
      if (!external && kind !== "dynamic-import" && !needed.has(chunkName(path)))
        this.#neededBy(chunkName(path), needed);
    }
    return needed.add(chunk);
  }
}

/** `chunks/run-ABC.js` is `run-ABC`. */
export function chunkName(path) {
  return basename(path).replace(/\.js$/, "");
}

function hashOf(chunks) {
  return createHash("sha256").update(chunks.join()).digest("hex").slice(0, 8).toUpperCase();
}
