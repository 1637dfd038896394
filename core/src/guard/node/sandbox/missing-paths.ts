import type { ChildProcess } from "node:child_process";
import { constants, type FSWatcher, readFileSync, type Stats, watch } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
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

/**
 * Watches these paths while a child lives. `first` tells the first process of its sandbox, once there is one: it is there until all others of
 * the sandbox are gone, which outlive the child by a moment.
 */
export type WatchPaths = (missing: WatchedPaths) => (child: ChildProcess, first?: () => number | undefined) => void;

/**
 * Called with what has appeared at a path, as it is there now. It says whether it is to be called with each look that finds something there, or
 * once something else is: undefined is neither.
 */
type Appeared = (path: string, child: ChildProcess, found: AppearedEntry) => "again" | "harmless" | undefined;

export interface AppearedEntry {
  readonly entry: Stats;
  /** See {@link WatchedPath}. */
  readonly ends: boolean;
}

/** How long the processes of a sandbox may take to be gone after the child, and how often that is looked at. */
const endMs = 3_000;
const pollMs = 10;

/**
 * Watches, while a child lives, for paths that were not there before it started, or were something else, and calls `appeared` with
 * each. What a folder cannot be watched for is looked at when the child ends.
 */
export function watchMissing(appeared: Appeared): WatchPaths {
  return (missing) => (child, first) => follow(child, new Map(missing), { appeared, first });
}

function follow(
  child: ChildProcess,
  left: Map<string, WatchedPath>,
  {
    appeared,
    first = () => undefined,
  }: { readonly appeared: Appeared; readonly first: (() => number | undefined) | undefined },
): void {
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
      const answer = entry && now !== before ? appeared(path, child, { entry, ends }) : "waits";
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
    let folder = dirname(path);
    while (!isFolder(folder) && folder !== dirname(folder)) folder = dirname(folder);
    if (watched.has(folder)) return;
    try {
      const watcher = watch(folder, { persistent: false }, look);
      watcher.on("error", () => watcher.close());
      watched.set(folder, watcher);
    } catch {
      // The system has no watchers left: the end of the child shows it.
    }
  };
  look();
  child.once("exit", () => {
    look();
    void goneInTime(first()).then(() => {
      look();
      for (const watcher of watched.values()) watcher.close();
    });
  });
}

async function goneInTime(pid: number | undefined): Promise<void> {
  const deadline = performance.now() + endMs;
  while (pid !== undefined && isRunning(pid) && performance.now() < deadline) {
    await delay(pollMs, undefined, { ref: false });
  }
}

/** Whether a process has not ended yet. One that has may still be listed, as a zombie, until its parent asks for it. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
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
