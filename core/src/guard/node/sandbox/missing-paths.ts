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
type Appeared = (path: string, found: AppearedEntry) => "again" | "harmless" | undefined;

export interface AppearedEntry {
  readonly entry: Stats;
  /** See {@link WatchedPath}. */
  readonly ends: boolean;
}

/** Looks at paths that are watched, until it is disposed. */
interface PathWatch extends Disposable {
  /** Finds changes in folders that the system cannot watch. */
  look(): void;
}

/** Watches for paths that were not there, or were something else, when they were looked at, and calls `appeared` with each. */
export function watchPaths(missing: WatchedPaths, appeared: Appeared): PathWatch {
  const left = new Map(missing);
  const watched = new Map<string, FSWatcher>();
  const look = (): void => {
    const namesIn = listedOnce();
    for (const [path, { before, ends = false, known }] of left) {
      if (known !== undefined) {
        const fresh = pathsLike(path, namesIn).filter((one) => !known.includes(one));
        // The loop comes to them, too.
        for (const one of fresh) left.set(one, { before });
        left.set(path, { before, known: [...known, ...fresh] });
        watchFor(path);
        continue;
      }
      // Of one look: what is told apart is what is judged.
      const entry = entryAt(path);
      const now = entry && identityOfEntry(entry);
      const answer = entry && now !== before ? appeared(path, { entry, ends }) : "waits";
      if (answer === undefined) left.delete(path);
      else if (answer === "again") left.set(path, { before: undefined, ends });
      else {
        if (answer === "harmless") left.set(path, { before: now, ends });
        watchFor(path);
      }
    }
  };
  /** Watches the lowest folder above the path that is there. */
  const watchFor = (path: string): void => {
    const folder = foldersUp(dirname(path)).find(isFolder);
    if (folder === undefined || watched.has(folder)) return;
    try {
      const watcher = watch(folder, { persistent: false }, look);
      watcher.on("error", () => watcher.close());
      watched.set(folder, watcher);
    } catch {
      // The system has no watchers left: the end of the child shows it.
    }
  };
  look();
  return {
    look,
    [Symbol.dispose]: () => {
      for (const watcher of watched.values()) watcher.close();
    },
  };
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
