import type { ChildProcess } from "node:child_process";
import { constants, type FSWatcher, type Stats, watch } from "node:fs";
import { dirname } from "node:path";
import { foldersUp } from "../../../base/node/folders.js";
import { entryAt, isFolder, listedOnce, pathsLike } from "./machine-paths.js";

export interface WatchedPath {
  /** Result of {@link identityOf} at the last check; undefined if the path didn't exist. */
  readonly before: string | undefined;
  /** Whether the sandbox must end if a new entry appears, because git could run programs from it. */
  readonly ends?: boolean;
  /** For a pattern: the paths that matched at the last check. Only other paths are new. */
  readonly known?: readonly string[];
}

/** Milliseconds between checks of folders that the system can't watch. */
const pollMs = 100;

/** Maximum number of consecutive scans before other events are handled, since programs can create folders faster than scans find them. */
const manyLooks = 20;

/** Number of pending events above which some may have been lost. The system queues at most 16,384 for all folders of a process. */
const manyEvents = 1_000;

export type WatchedPaths = ReadonlyMap<string, WatchedPath>;

export interface SandboxWatch {
  /** Watches the paths while `child` runs; resolves once watching has started. If watching fails, kills the child and never resolves. */
  begin(child: ChildProcess): Promise<void>;
  /**
   * Sets the sandbox's first process, which ends after all others in the sandbox. The sandbox's processes can outlive the child for a
   * moment.
   */
  first(pid: number): void;
}

/** Called before each start of a sandbox. */
export type WatchPaths = (missing: WatchedPaths) => SandboxWatch;

/**
 * Called with a new entry at a path. Returns `again` to be called on every scan that finds an entry, `harmless` to be called once the entry
 * changes, or undefined to stop watching the path.
 */
export type Appeared = (path: string, found: AppearedEntry) => "again" | "harmless" | undefined;

export interface AppearedEntry {
  readonly entry: Stats;
  /** Whether the sandbox must end if the entry appears; see {@link WatchedPath}. */
  readonly ends: boolean;
}

interface PathWatch extends Disposable {
  /** Scans for changes that the system hasn't reported yet. */
  look(): void;
}

/**
 * Calls `appeared` for each path whose entry is new or was replaced since it was checked. Calls `flooded` instead of scanning if there are
 * so many events that other watches may have lost theirs; `flooded` should scan all watches.
 */
export function watchPaths(missing: WatchedPaths, appeared: Appeared, flooded?: () => void): PathWatch {
  const watchers = new FolderWatchers(missing, appeared, flooded);
  watchers.look();
  return watchers;
}

/** Watches the folders in which entries may appear at the given paths. */
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
    // Scan again while new watchers start, since an entry may have appeared in a folder before its watcher started.
    for (let looks = 0; this.#lookOnce() > 0; looks++) if (looks === manyLooks) return this.#lookSoon();
  }

  /** Scans once. Returns the number of new watchers. */
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

  /** Checks a path. Returns whether its folder must still be watched. */
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
   * Watches the path's folder, or the nearest parent that exists; returns whether the watcher is new. A watcher follows its folder if the
   * folder is moved.
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
      // Poll if no watcher can be created, since other programs of the user can exhaust the system's watchers.
      this.#poll ??= setInterval(() => this.look(), pollMs).unref();
      return false;
    }
  }

  /** Schedules one scan for all pending events, since programs can create files faster than a scan runs. */
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

/** Returns a string that changes if the entry at a path is replaced; undefined if there is no entry. */
export function identityOf(path: string): string | undefined {
  const entry = entryAt(path);
  return entry && identityOfEntry(entry);
}

/**
 * Returns the identity of an entry. Includes the entry's type, since on file systems without birth times a file can get the inode number of
 * a removed folder.
 */
function identityOfEntry({ dev, ino, birthtimeMs, mode }: Stats): string {
  return `${dev}:${ino}:${birthtimeMs}:${mode & constants.S_IFMT}`;
}
