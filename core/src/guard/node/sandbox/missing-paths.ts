import type { ChildProcess } from "node:child_process";
import { constants, type FSWatcher, type Stats, watch } from "node:fs";
import { dirname } from "node:path";
import { foldersUp } from "../../../base/node/folders.js";
import { entryAt, isFolder, listedOnce, pathsLike } from "./machine-paths.js";

export interface WatchedPath {
  /** {@link identityOf} the entry at the last check; undefined if the path was missing. */
  readonly before: string | undefined;
  /** Whether git could run programs from a new entry, so that the sandbox must end. */
  readonly ends?: boolean;
  /** For a pattern: the paths that matched at the last check. Only other paths are new. */
  readonly known?: readonly string[];
}

/** Polling interval in milliseconds for folders that the system can't watch. */
const pollMs = 100;

/** Maximum number of consecutive scans before other events run, since programs can create folders faster than scans. */
const manyLooks = 20;

/** Number of pending events above which some may be lost: the system queues 16,384 for all folders of a process. */
const manyEvents = 1_000;

export type WatchedPaths = ReadonlyMap<string, WatchedPath>;

export interface SandboxWatch {
  /**
   * Watches the paths while `child` lives. Resolves once watching has started; if watching fails, never resolves and the child is killed.
   */
  begin(child: ChildProcess): Promise<void>;
  /** Sets the sandbox's first process, which outlives all others of the sandbox. They can outlive the child for a moment. */
  first(pid: number): void;
}

/** Called before each start of a sandbox. */
export type WatchPaths = (missing: WatchedPaths) => SandboxWatch;

/**
 * Called with a new entry at a path. Return `again` to be called on every scan that finds an entry, `harmless` to be called once the entry
 * changes, or undefined to stop.
 */
export type Appeared = (path: string, found: AppearedEntry) => "again" | "harmless" | undefined;

export interface AppearedEntry {
  readonly entry: Stats;
  /** See {@link WatchedPath}. */
  readonly ends: boolean;
}

interface PathWatch extends Disposable {
  /** Finds changes that the system hasn't reported yet. */
  look(): void;
}

/**
 * Calls `appeared` for each path whose entry is new or replaced since it was checked. Calls `flooded` instead of scanning if this watch's
 * events may have displaced those of other watches; `flooded` should scan all watches.
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
    // An entry may have appeared in a folder before its watcher started.
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
      // The loop also visits entries added here.
      for (const one of fresh) this.#left.set(one, { before });
      this.#left.set(path, { before, known: [...known, ...fresh] });
      folders.add(dirname(path));
    }
    return [...folders].filter((folder) => this.#watchFor(folder)).length;
  }

  /** Returns whether the path's folder must still be watched. */
  #lookAt(path: string, { before, ends = false }: WatchedPath): boolean {
    // Read once, so that identity and judgement use the same entry.
    const entry = entryAt(path);
    const now = entry && identityOfEntry(entry);
    const answer = entry && now !== before ? this.#appeared(path, { entry, ends }) : "waits";
    if (answer === undefined) this.#left.delete(path);
    else if (answer === "again") this.#left.set(path, { before: undefined, ends });
    else if (answer === "harmless") this.#left.set(path, { before: now, ends });
    return answer === "waits" || answer === "harmless";
  }

  /**
   * Watches the folder, or its nearest existing ancestor. A watcher follows its folder if the folder is moved. Returns whether the watcher
   * is new.
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
      // Programs of the same user can exhaust the system's watches.
      this.#poll ??= setInterval(() => this.look(), pollMs).unref();
      return false;
    }
  }

  /** Handles all pending events in one scan, since programs can create files faster than a scan runs. */
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

/** Returns a string that differs if the entry at a path is replaced; undefined if missing. */
export function identityOf(path: string): string | undefined {
  const entry = entryAt(path);
  return entry && identityOfEntry(entry);
}

/** Includes the type, since without birth times a removed folder's inode number can return as a file's. */
function identityOfEntry({ dev, ino, birthtimeMs, mode }: Stats): string {
  return `${dev}:${ino}:${birthtimeMs}:${mode & constants.S_IFMT}`;
}
