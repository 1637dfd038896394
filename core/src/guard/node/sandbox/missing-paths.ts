import type { ChildProcess } from "node:child_process";
import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import { entryAt, isFolder } from "./machine-paths.js";

/**
 * Watches, while a child lives, for paths that were not there before it started, or were something else, and calls `appeared` once with
 * each. What a folder cannot be watched for is looked at when the child ends.
 */
export function watchMissing(
  appeared: (path: string, child: ChildProcess) => void,
): (missing: readonly string[]) => (child: ChildProcess) => void {
  return (missing) => {
    const left = new Map(missing.map((path) => [path, identityOf(path)]));
    return (child) => follow(child, left, appeared);
  };
}

function follow(
  child: ChildProcess,
  left: Map<string, string | undefined>,
  appeared: (path: string, child: ChildProcess) => void,
): void {
  const watched = new Map<string, FSWatcher>();
  const look = (): void => {
    for (const [path, before] of left) {
      const now = identityOf(path);
      if (now !== undefined && now !== before) {
        left.delete(path);
        appeared(path, child);
      } else watchFor(path);
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
    for (const watcher of watched.values()) watcher.close();
  });
}

/** Tells one thing from another that is put in its place; undefined where nothing is. */
function identityOf(path: string): string | undefined {
  const entry = entryAt(path);
  return entry && `${entry.dev}:${entry.ino}:${entry.birthtimeMs}`;
}
