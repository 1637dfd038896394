import { lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { type FolderRules, IgnoreRules, type IgnoreOptions } from "./ignore-rules.js";

/** More files than this are not looked at; which ones, the order of names says. */
const maxFiles = 60_000;

/** Clocks of file systems tick this slowly: what was written just before we looked may look the same after the next write. */
const tickMs = 40;
/** As those do that know whole seconds only. */
const coarseTickMs = 2_500;

interface KnownFolder {
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly isFirm: boolean;
  readonly rulesKey: string;
  readonly files: readonly string[];
  readonly folders: readonly string[];
  readonly names: ReadonlySet<string>;
}

/** Files and links found in a folder, by path relative to it, with slashes. */
interface Walk {
  readonly files: ReadonlyMap<string, Stats>;
  /** There are more than we look at. */
  readonly isCut: boolean;
  /** Other rules held when the folder was last walked, so a file that was not seen then need not be new. */
  readonly hasOtherRules: boolean;
}

/** Whether times of a file, read at a time, tell it apart from every later state of it. */
export function areFirm({ mtimeMs, ctimeMs }: Pick<Stats, "mtimeMs" | "ctimeMs">, readAtMs: number): boolean {
  const latest = Math.max(mtimeMs, ctimeMs);
  return readAtMs - latest > (latest % 1_000 === 0 ? coarseTickMs : tickMs);
}

/** Looks through a folder again and again; lists anew only folders whose times have changed. Ignored files are left out. */
export class FolderWalk {
  #known = new Map<string, KnownFolder>();
  #rulesKeys: string | undefined;

  constructor(private readonly root: string) {}

  /** Throws the system's error where the folder itself cannot be listed. `more` are files to look at in any case. */
  walk(options: IgnoreOptions, more: readonly string[] = []): Walk {
    const files = new Map<string, Stats>();
    const known = new Map<string, KnownFolder>();
    const rules = new IgnoreRules(this.root, options);
    const keys = new Set<string>();
    const waiting: { path: string; outer: FolderRules }[] = [{ path: "", outer: rules.ofRoot() }];
    let isCut = false;
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { path, outer } = next;
      const folder = this.#look(path, outer, rules);
      if (!folder) continue;
      known.set(path, folder);
      keys.add(folder.rulesKey);
      for (const name of folder.folders)
        waiting.push({ path: inner(path, name), outer: rules.inFolder(path, outer, folder.names) });
      for (const name of folder.files) {
        const file = inner(path, name);
        const stats = statsOf(join(this.root, file));
        if (stats) files.set(file, stats);
      }
      isCut = files.size > maxFiles;
      if (isCut) break;
    }
    for (const file of more) {
      const stats = files.has(file) ? undefined : statsOf(join(this.root, file));
      if (stats) files.set(file, stats);
    }
    const rulesKeys = [...keys].sort().join();
    const hasOtherRules = this.#rulesKeys !== rulesKeys;
    this.#rulesKeys = rulesKeys;
    this.#known = known;
    return { files, isCut, hasOtherRules };
  }

  #look(path: string, outer: FolderRules, rules: IgnoreRules): KnownFolder | undefined {
    const folder = join(this.root, path);
    const isRoot = path === "";
    try {
      const readAtMs = Date.now();
      const { mtimeMs, ctimeMs } = lstatSync(folder);
      const old = this.#known.get(path);
      if (old?.isFirm === true && old.mtimeMs === mtimeMs && old.ctimeMs === ctimeMs) {
        const { key } = rules.inFolder(path, outer, old.names);
        if (key === old.rulesKey) return old;
      }
      const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
      const names = new Set(entries.map(({ name }) => name));
      const own = rules.inFolder(path, outer, names);
      const taken = entries.filter(
        (entry) => !rules.isSkipped(inner(path, entry.name), entry.name, entry.isDirectory(), own),
      );
      return {
        mtimeMs,
        ctimeMs,
        isFirm: areFirm({ mtimeMs, ctimeMs }, readAtMs),
        rulesKey: own.key,
        files: taken.filter((entry) => entry.isFile() || entry.isSymbolicLink()).map(({ name }) => name),
        folders: taken.filter((entry) => entry.isDirectory()).map(({ name }) => name),
        names,
      };
    } catch (error) {
      if (isRoot) throw error;
      return undefined;
    }
  }
}

function inner(path: string, name: string): string {
  return path === "" ? name : `${path}/${name}`;
}

function statsOf(file: string): Stats | undefined {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    return stats?.isFile() === true || stats?.isSymbolicLink() === true ? stats : undefined;
  } catch {
    return undefined;
  }
}
