import type { ChildProcess } from "node:child_process";
import { constants, type FSWatcher, type Stats, watch } from "node:fs";
import { dirname } from "node:path";
import { foldersUp } from "../../../base/node/folders.js";
import { entryAt, isFolder, listedOnce, pathsLike } from "./machine-paths.js";

/** One path that is watched. */
export interface WatchedPath {
  /** The {@link identityOf} what stood there when it was looked at; undefined: nothing did. */
  readonly before: string | undefined;
  /** Whether git could take programs from what appears there, so that the sandbox has to end. */
  readonly ends?: boolean;
  /** Of a path whose last name has stars: the paths that it stood for when it was looked at. Only others are new. */
  readonly known?: readonly string[];
}

/** How often paths are looked at in folders that the system cannot watch. */
const pollMs = 100;

/** So many looks follow one another before other events get their turn: programs can make folders faster than that. */
const manyLooks = 20;

/** Of so many events at once, the system may have left some out: it keeps 16,384 for all folders that a process watches. */
const manyEvents = 1_000;

export type WatchedPaths = ReadonlyMap<string, WatchedPath>;

/** Watches the paths of one sandbox. */
export interface SandboxWatch {
  /** Watches them while `child` lives. Resolves once they are watched, and never where they cannot be: then the child is killed. */
  begin(child: ChildProcess): Promise<void>;
  /** Names the first process of the sandbox, which lives until all others of the sandbox are gone: they outlive the child by a moment. */
  first(pid: number): void;
}

/** Called before each start of a sandbox. */
export type WatchPaths = (missing: WatchedPaths) => SandboxWatch;

/**
 * Called with what has appeared at a path. Returns `again` to be called with each look that finds something there, `harmless` to be called
 * once something else is there, and undefined for neither.
 */
export type Appeared = (path: string, found: AppearedEntry) => "again" | "harmless" | undefined;

export interface AppearedEntry {
  readonly entry: Stats;
  /** See {@link WatchedPath}. */
  readonly ends: boolean;
}

/** Looks at paths that are watched, until it is disposed. */
interface PathWatch extends Disposable {
  /** Finds changes that the system has not reported yet. */
  look(): void;
}

/**
 * Watches for paths that were not there, or were something else, when they were looked at, and calls `appeared` with each. `flooded` is
 * called instead of a look if events of this watch may have hidden those of others: it looks at all of them.
 */
export function watchPaths(missing: WatchedPaths, appeared: Appeared, flooded?: () => void): PathWatch {
  const watchers = new FolderWatchers(missing, appeared, flooded);
  watchers.look();
  return watchers;
}

/** Watches the folders in which the paths may appear. */
class FolderWatchers implements PathWatch {
  readonly #left: Map<string, WatchedPath>;
  readonly #appeared: Appeared;
  readonly #flooded: () => void;
  readonly #watched = new Map<string, { readonly watcher: FSWatcher; readonly identity: string }>();
  #poll: NodeJS.Timeout | undefined;
  #due: NodeJS.Immediate | undefined;
  #events = 0;

  constructor(missing: WatchedPaths, appeared: Appeared, flooded?: () => void) {
    this.#left = new Map(missing);
    this.#appeared = appeared;
    this.#flooded = flooded ?? (() => this.look());
  }

  [Symbol.dispose](): void {
    clearImmediate(this.#due);
    clearInterval(this.#poll);
    for (const { watcher } of this.#watched.values()) watcher.close();
  }

  look(): void {
    // Something may have come into a folder before its watcher.
    for (let looks = 0; this.#lookOnce() > 0; looks++) if (looks === manyLooks) return this.#lookSoon();
  }

  /** Returns the number of new watchers. */
  #lookOnce(): number {
    const namesIn = listedOnce();
    const folders = new Set<string>();
    for (const [path, watched] of this.#left) {
      const { before, known } = watched;
      if (known === undefined) {
        if (this.#lookAt(path, watched)) folders.add(dirname(path));
        continue;
      }
      const fresh = pathsLike(path, namesIn).filter((one) => !known.includes(one));
      // The loop comes to them, too.
      for (const one of fresh) this.#left.set(one, { before });
      this.#left.set(path, { before, known: [...known, ...fresh] });
      folders.add(dirname(path));
    }
    return [...folders].filter((folder) => this.#watchFor(folder)).length;
  }

  /** Returns whether its folder has to be watched. */
  #lookAt(path: string, { before, ends = false }: WatchedPath): boolean {
    // Of one look: what is told apart is what is judged.
    const entry = entryAt(path);
    const now = entry && identityOfEntry(entry);
    const answer = entry && now !== before ? this.#appeared(path, { entry, ends }) : "waits";
    if (answer === undefined) this.#left.delete(path);
    else if (answer === "again") this.#left.set(path, { before: undefined, ends });
    else if (answer === "harmless") this.#left.set(path, { before: now, ends });
    return answer === "waits" || answer === "harmless";
  }

  /**
   * Watches the folder, or the lowest one above it that is there. A watcher stays with its folder when that is moved away. Returns
   * whether it is a new one.
   */
  #watchFor(path: string): boolean {
    const folder = foldersUp(path).find(isFolder);
    const identity = folder === undefined ? undefined : identityOf(folder);
    if (folder === undefined || identity === undefined) return false;
    const before = this.#watched.get(folder);
    if (before?.identity === identity) return false;
    before?.watcher.close();
    this.#watched.delete(folder);
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#lookSoon());
      watcher.on("error", () => watcher.close());
      this.#watched.set(folder, { watcher, identity });
      return true;
    } catch {
      // Programs of the same user can use up the system's watches.
      this.#poll ??= setInterval(() => this.look(), pollMs).unref();
      return false;
    }
  }

  /** Looks once for all events that are there: programs can make them faster than looks are. */
  #lookSoon(): void {
    this.#events++;
    this.#due ??= setImmediate(() => {
      const isFlooded = this.#events > manyEvents;
      this.#due = undefined;
      this.#events = 0;
      if (isFlooded) this.#flooded();
      else this.look();
    });
  }
}

/** Tells one thing from another that is put in its place; undefined where nothing is. */
export function identityOf(path: string): string | undefined {
  const entry = entryAt(path);
  return entry && identityOfEntry(entry);
}

/** Where no time of birth is kept, the number of a folder that is gone can be that of a file. */
function identityOfEntry({ dev, ino, birthtimeMs, mode }: Stats): string {
  return `${dev}:${ino}:${birthtimeMs}:${mode & constants.S_IFMT}`;
}
