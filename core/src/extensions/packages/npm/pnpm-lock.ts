import { type IndentedTree, parseIndented, textAt, treeAt } from "../text/indented-tree.js";
import { type LockedPackage, type LockImporter, type NpmLock, splitAt, Wanted } from "./npm-lock.js";

const fields = ["dependencies", "optionalDependencies", "devDependencies"];

/** Parses pnpm-lock.yaml and node_modules/.pnpm/lock.yaml of lockfileVersion 5 to 9. */
export function parsePnpmLock(text: string): NpmLock | undefined {
  const tree = parseIndented(text);
  return tree.has("lockfileVersion") ? new PnpmLock(tree) : undefined;
}

class PnpmLock implements NpmLock {
  /** Projects by folder relative to the lock file; `.` is the lock file's own folder. */
  readonly #importers: IndentedTree;
  /** Dependencies by `name@version`, including the suffixes that pnpm appends. */
  readonly #packages: IndentedTree;

  constructor(private readonly tree: IndentedTree) {
    const importers = treeAt(tree, "importers");
    this.#importers = importers.size > 0 ? importers : new Map([[".", tree]]);
    const snapshots = treeAt(tree, "snapshots");
    this.#packages = snapshots.size > 0 ? snapshots : treeAt(tree, "packages");
  }

  lockedFor(name: string, importer: LockImporter): LockedPackage | undefined {
    const project = treeAt(this.#importers, importer.path === "" ? "." : importer.path);
    const own = project.size > 0 ? [project] : this.#snapshotsOf(importer.name, importer.version);
    for (const tree of own) {
      for (const field of fields) {
        const value = versionText(treeAt(tree, field).get(name));
        if (value !== undefined) return this.#patched(toPackage(name, value));
      }
    }
    return undefined;
  }

  versionsOf(name: string) {
    const wanted = new Wanted();
    for (const key of this.#packages.keys()) {
      const found = toKey(key);
      if (found.name === name) wanted.add(found.version);
    }
    const add = (tree: string | IndentedTree, label: string): void => {
      if (typeof tree === "string") return;
      for (const field of fields) {
        for (const [dependency, value] of treeAt(tree, field)) {
          const text = versionText(value);
          const found = text === undefined ? undefined : toPackage(dependency, text);
          if (found?.name === name) wanted.add(found.version, label);
        }
      }
    };
    for (const [path, tree] of this.#importers) add(tree, path === "." ? "this project" : path);
    for (const [key, tree] of this.#packages) {
      const { name: own, version } = toKey(key);
      add(tree, `${own}@${version}`);
    }
    return wanted.list();
  }

  *#snapshotsOf(name: string, version: string): Generator<IndentedTree> {
    for (const [key, tree] of this.#packages) {
      const found = toKey(key);
      if (found.name === name && found.version === version && typeof tree !== "string") yield tree;
    }
  }

  #patched(found: LockedPackage): LockedPackage {
    const patches = treeAt(this.tree, "patchedDependencies");
    const key = [`${found.name}@${found.version}`, found.name].find((one) => patches.has(one));
    if (key === undefined) return found;
    return { ...found, patch: textAt(treeAt(patches, key), "path") ?? `the patch of ${key}` };
  }
}

/** Returns the version in `4.1.2(react@18.2.0)` or `{specifier, version}`; undefined for other values. */
function versionText(value: string | IndentedTree | undefined): string | undefined {
  return typeof value === "object" ? textAt(value, "version") : value;
}

/** Parses the version text of a dependency. For an alias, the text also contains the real package name. */
function toPackage(name: string, text: string): LockedPackage {
  const plain = text.replace(/\(.*$/, "");
  if (/^(?:link|file|workspace):/.test(plain)) return { name, version: plain };
  if (/^\d/.test(plain)) return { name, version: plain.replace(/_.*$/, "") };
  if (plain.startsWith("/") || plain.indexOf("@", 1) > 0) return toKey(plain);
  return { name, version: plain };
}

/** Parses a key: `name@version` or `/name@version`, or in old files `/name/version`. */
function toKey(key: string): { readonly name: string; readonly version: string } {
  const old = /^\/((?:@[^/]+\/)?[^/@]+)\/(\d[^_(]*)/.exec(key);
  if (old) return { name: old[1] ?? "", version: old[2] ?? "" };
  const [name, version] = splitAt(key.replace(/^\//, "").replace(/\(.*$/, ""));
  return { name, version };
}
