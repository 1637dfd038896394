import type { ChildProcess } from "node:child_process";
import { unlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import { processTree } from "../../../node/process-tree.js";

/**
 * Ends a sandbox in which `.git/commondir` has appeared, and removes the file: git takes configuration and hooks from the folder
 * that it names, so that the next `git status` of anybody would run what stands there. No program makes it in a repository's own
 * `.git`, and a name that is not there can be held by no mount. Returns whether `path` is that file.
 */
export function stopDivertedGit(path: string, child: ChildProcess): boolean {
  if (basename(path) !== "commondir" || basename(dirname(path)) !== ".git") return false;
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
