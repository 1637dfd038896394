import { type IndentedTree, parseIndented, textAt, treeAt } from "../text/indented-tree.js";
import { type LockedPackage, type LockImporter, type NpmLock, splitAt, Wanted } from "./npm-lock.js";

interface YarnEntry {
  /** Package requests that the entry satisfies, for example `lodash@^4` or `lodash@npm:^4`. */
  readonly asked: readonly string[];
  readonly name: string;
  readonly version: string;
  /** Folder of the workspace project if the entry is one. */
  readonly workspace?: string;
  readonly patch?: string;
  readonly wanted: IndentedTree;
}

/** Parses yarn.lock of Yarn 1 and later versions. */
export function parseYarnLock(text: string): NpmLock | undefined {
  const isBerry = /^__metadata:/m.test(text);
  if (!isBerry && !/^# yarn lockfile v1/m.test(text)) return undefined;
  const tree = parseIndented(isBerry ? text : asYaml(text));
  const entries: YarnEntry[] = [];
  for (const [key, value] of tree) {
    if (key !== "__metadata" && typeof value !== "string") entries.push(toEntry(key, value));
  }
  return new YarnLock(entries);
}

class YarnLock implements NpmLock {
  readonly #byAsked = new Map<string, YarnEntry>();
  /** First patched entry by name and by `name@version`. */
  readonly #patched = new Map<string, YarnEntry>();

  constructor(private readonly entries: readonly YarnEntry[]) {
    for (const entry of entries) {
      for (const asked of entry.asked) this.#byAsked.set(asked, entry);
      if (entry.patch === undefined) continue;
      for (const key of [entry.name, `${entry.name}@${entry.version}`]) {
        if (!this.#patched.has(key)) this.#patched.set(key, entry);
      }
    }
  }

  lockedFor(name: string, importer: LockImporter): LockedPackage | undefined {
    const range = importer.range ?? this.#rangeOf(name, importer);
    const exact = range === undefined ? undefined : this.#entryFor(name, range);
    const all = exact ? [] : this.entries.filter((entry) => entry.name === name);
    const entry = exact ?? (all.length === 1 ? all[0] : undefined);
    if (!entry) return undefined;
    return { name: entry.name, version: entry.version, ...(entry.patch !== undefined && { patch: entry.patch }) };
  }

  versionsOf(name: string) {
    const wanted = new Wanted();
    for (const entry of this.entries) {
      if (entry.name === name && entry.workspace === undefined) wanted.add(entry.version);
      for (const [dependency, range] of entry.wanted) {
        const found = typeof range === "string" ? this.#entryFor(dependency, range) : undefined;
        if (found?.name === name) wanted.add(found.version, labelOf(entry));
      }
    }
    return wanted.list();
  }

  #rangeOf(name: string, importer: LockImporter): string | undefined {
    const own = this.entries.find((one) => one.name === importer.name && one.version === importer.version);
    return own && textAt(own.wanted, name);
  }

  /**
   * Returns the entry for a request. Prefers a patched entry, since a patch may be set in `resolutions` rather than in the dependent's
   * manifest.
   */
  #entryFor(name: string, range: string): YarnEntry | undefined {
    const asked = [`${name}@${range}`, `${name}@npm:${range}`];
    const found = asked.map((one) => this.#byAsked.get(one)).find((entry) => entry !== undefined);
    const patched = this.#patched.get(found === undefined ? name : `${name}@${found.version}`);
    return patched && (found === undefined || found.patch === undefined) ? patched : found;
  }
}

function toEntry(key: string, tree: IndentedTree): YarnEntry {
  const asked = key.split(/,\s+/).map((one) => one.replace(/^"|"$/g, ""));
  const resolution = textAt(tree, "resolution");
  const version = textAt(tree, "version") ?? "";
  const [first = ""] = asked;
  const [askedName, range] = splitAt(first);
  // Yarn 1 marks an alias only in the request: `lodash4@npm:lodash@^4`.
  const target = range.startsWith("npm:") ? range.slice("npm:".length) : "";
  const aliased = target.indexOf("@", 1) > 0 ? splitAt(target)[0] : askedName;
  const [name, reference] = resolution === undefined ? [aliased, ""] : splitAt(resolution);
  const wanted = new Map([...treeAt(tree, "dependencies"), ...treeAt(tree, "optionalDependencies")]);
  const patch = reference.startsWith("patch:") ? /#(?:~\/)?([^#:]*?\.patch)/.exec(reference)?.[1] : undefined;
  return {
    asked,
    name,
    version,
    wanted,
    ...(reference.startsWith("workspace:") && { workspace: reference.slice("workspace:".length) }),
    ...(reference.startsWith("patch:") && { patch: patch ?? "a built-in Yarn patch" }),
  };
}

function labelOf({ name, version, workspace }: YarnEntry): string {
  if (workspace === undefined) return `${name}@${version}`;
  return workspace === "." ? "this project" : workspace;
}

/** Converts Yarn 1's format, which has spaces instead of colons, to YAML. */
function asYaml(text: string): string {
  return text
    .replace(/^([ \t]+)("[^"\n]+"|\S+)[ \t]+("[^"\n]*"|\S+)$/gm, (line, indent: string, key: string, value: string) =>
      key.endsWith(":") ? line : `${indent}${key}: ${value}`,
    )
    .replace(/^(\S.*):$/gm, (_line, keys: string) => `${JSON.stringify(keys.replaceAll('"', ""))}:`);
}
