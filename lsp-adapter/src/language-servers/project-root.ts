import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { isBelow } from "../paths.js";

/**
 * The folder that a server for `path` works in: the outermost one with a marker, from the file's up to `workspace`, so that
 * members of one project share a server; `workspace` where none has one, or the file stands elsewhere.
 */
export function projectRoot(path: string, workspace: string, markers: readonly string[]): string {
  if (!isBelow(path, workspace)) return workspace;
  let root = workspace;
  for (let folder = dirname(path); isBelow(folder, workspace); folder = dirname(folder)) {
    if (markers.some((marker) => existsSync(join(folder, marker)))) root = folder;
    if (folder === workspace || dirname(folder) === folder) break;
  }
  return root;
}
