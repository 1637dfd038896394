import type { ChildProcess } from "node:child_process";
import { existsSync, type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import { isFolder } from "./machine-paths.js";

/**
 * Watches, while a child lives, for paths that were not there when it started, and calls `appeared` once with each. What a folder
 * cannot be watched for is looked at when the child ends.
 */
export function watchMissing(
  appeared: (path: string) => void,
): (child: ChildProcess, missing: readonly string[]) => void {
  return (child, missing) => {
    const left = new Set(missing);
    const watched = new Map<string, FSWatcher>();
    const look = (): void => {
      for (const path of left) {
        if (existsSync(path)) {
          left.delete(path);
          appeared(path);
        } else follow(path);
      }
    };
    /** Watches the lowest folder above the path that is there. */
    const follow = (path: string): void => {
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
  };
}
