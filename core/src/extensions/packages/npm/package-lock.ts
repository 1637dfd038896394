import { asObject, parsedObject, textOf } from "../../../base/rpc/json.js";
import { textsOf } from "./manifest.js";
import { type LockedPackage, type LockImporter, type NpmLock, splitAt, Wanted } from "./npm-lock.js";

interface PackageLockEntry {
  readonly name: string;
  readonly version: string;
  /** Key of the target's entry if this entry is a link. */
  readonly target?: string;
  readonly wanted: readonly (readonly [name: string, range: string])[];
}

type Entries = ReadonlyMap<string, PackageLockEntry>;

const dependencyFields = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

/** Parses package-lock.json, npm-shrinkwrap.json and node_modules/.package-lock.json of lockfileVersion 1 to 3. */
export function parsePackageLock(text: string): NpmLock | undefined {
  const root = parsedObject(text);
  if (root === undefined) return undefined;
  const packages = asObject(root["packages"]);
  const entries = packages ? entriesOf(packages) : treeEntries(root);
  return new PackageLock(entries);
}

class PackageLock implements NpmLock {
  constructor(private readonly entries: Entries) {}

  lockedFor(name: string, { path }: LockImporter): LockedPackage | undefined {
    const key = this.#keyFor(name, path);
    const entry = key === undefined ? undefined : this.entries.get(key);
    return entry && { name: entry.name, version: entry.version };
  }

  versionsOf(name: string) {
    const wanted = new Wanted();
    for (const [key, entry] of this.entries) {
      if (entry.name === name && key.includes("node_modules/") && entry.target === undefined) wanted.add(entry.version);
      for (const [dependency] of entry.wanted) {
        const found = this.#keyFor(dependency, key);
        const at = found === undefined ? undefined : this.entries.get(found);
        if (at?.name === name) wanted.add(at.version, labelOf(key, entry));
      }
    }
    return wanted.list();
  }

  /**
   * Returns the key of the package that `name` resolves to. Searches as Node does: in the folder's own node_modules, then in the
   * node_modules of its parents.
   */
  #keyFor(name: string, path: string): string | undefined {
    for (let at = path; ; at = at.slice(0, Math.max(at.lastIndexOf("/"), 0))) {
      if (at !== "node_modules" && !at.endsWith("/node_modules")) {
        const key = `${at === "" ? "" : `${at}/`}node_modules/${name}`;
        const entry = this.entries.get(key);
        if (entry) return entry.target !== undefined && this.entries.has(entry.target) ? entry.target : key;
      }
      if (at === "") return undefined;
    }
  }
}

function labelOf(key: string, { name, version }: PackageLockEntry): string {
  if (key === "") return "this project";
  return key.includes("node_modules/") ? `${name}@${version}` : key;
}

function entriesOf(packages: Readonly<Record<string, unknown>>): Entries {
  const entries = new Map<string, PackageLockEntry>();
  for (const [key, value] of Object.entries(packages)) {
    const entry = asObject(value);
    if (entry === undefined) continue;
    const { name, version, link, resolved } = entry;
    const own = key.slice(key.lastIndexOf("node_modules/") + "node_modules/".length);
    entries.set(key, {
      name: typeof name === "string" ? name : key.includes("node_modules/") ? own : key,
      version: textOf(version),
      ...(link === true && typeof resolved === "string" && { target: resolved }),
      wanted: dependencyFields.flatMap((field) => textsOf(entry[field])),
    });
  }
  return entries;
}

/** Parses the entries of a package-lock.json with lockfileVersion 1, whose tree mirrors the node_modules folders. */
function treeEntries(root: Readonly<Record<string, unknown>>): Entries {
  const entries = new Map<string, PackageLockEntry>();
  const add = (dependencies: unknown, prefix: string, depth: number): void => {
    for (const [name, value] of Object.entries(asObject(dependencies) ?? {})) {
      const entry = asObject(value);
      if (entry === undefined || depth > 64) continue;
      const version = textOf(entry["version"]);
      const [aliased, own] = version.startsWith("npm:") ? splitAt(version.slice("npm:".length)) : [name, version];
      const key = `${prefix}node_modules/${name}`;
      entries.set(key, { name: aliased, version: own, wanted: textsOf(entry["requires"]) });
      add(entry["dependencies"], `${key}/`, depth + 1);
    }
  };
  add(root["dependencies"], "", 0);
  return entries;
}
