import { lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { type FolderRules, IgnoreRules, type IgnoreOptions } from "./ignore-rules.js";

/** Maximum number of files. Further ones are skipped, in name order. */
const maxFiles = 60_000;

/** Time resolution of file systems: two writes within this time can leave the same time stamp. */
const tickMs = 40;
/** Time resolution in milliseconds of file systems that store whole seconds. */
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

interface Walk {
  readonly files: ReadonlyMap<string, Stats>;
  /** True if the folder has more files than the limit. */
  readonly isCut: boolean;
  /** True if ignore rules changed since the last walk. A newly found file isn't necessarily new then. */
  readonly hasOtherRules: boolean;
}

/**
 * Returns whether file times are old enough that any later change of the file would alter them. `readAtMs` is the time at which they were
 * read.
 */
export function areFirm({ mtimeMs, ctimeMs }: Pick<Stats, "mtimeMs" | "ctimeMs">, readAtMs: number): boolean {
  const latest = Math.max(mtimeMs, ctimeMs);
  return readAtMs - latest > (latest % 1_000 === 0 ? coarseTickMs : tickMs);
}

/** Walks a folder repeatedly and lists only those subfolders again whose times or rules changed. Skips ignored files. */
export class FolderWalk {
  #known = new Map<string, KnownFolder>();
  #rulesKeys: string | undefined;

  constructor(private readonly root: string) {}

  /** Walks the folder; `more` are files to include even if they are ignored. Throws the system's error if the root can't be listed. */
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
