import type { ChildProcess } from "node:child_process";
import { existsSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { processTree } from "../../../node/process-tree.js";

/**
 * Ends a sandbox in which a file has appeared by which git takes configuration and hooks from another folder, and removes it: the next
 * `git status` of anybody would run what stands there. That is `commondir` in git's own folder, or in that of a submodule, and `HEAD` beside
 * `.git`, which makes a repository of the folder as soon as `.git` is broken. No program makes these there, and a name that is not there
 * can be held by no mount. Returns whether `path` is such a file.
 */
export function stopDivertedGit(path: string, child: ChildProcess): boolean {
  const folder = dirname(path);
  const isInside = basename(path) === "commondir" && folder.split("/").includes(".git");
  const isBeside = basename(path) === "HEAD" && existsSync(join(folder, ".git"));
  if (!isInside && !isBeside) return false;
  // Bubblewrap's second process lives on where the first one ends before the second has asked to end with it.
  if (child.pid !== undefined) processTree(child.pid, { isConfined: true }).kill();
  child.kill("SIGKILL");
  remove(path);
  // It may have been made once more before all of the sandbox was gone.
  child.once("exit", () => remove(path));
  return true;
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone, or a folder, which git does not read.
  }
}
