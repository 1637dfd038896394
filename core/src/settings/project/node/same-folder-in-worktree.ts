import { lstat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import { realPlace } from "../../../base/node/folders.js";
import { foldersOfProject, sharedFolder } from "./find-project.js";

/**
 * Returns the folder in the worktree `root` that corresponds to `folder` in another worktree of the repository, links resolved. Undefined
 * if the worktree and the repository don't name each other, or if a link is in the way.
 */
export async function worktreePart(root: string, folder: string, home = homedir()): Promise<string | undefined> {
  const [own, real] = [await realPath(folder), await realPath(root)];
  if (own === undefined || real === undefined || (await lstat(root)).isSymbolicLink()) return undefined;
  const top = foldersOfProject(own, home).at(-1);
  if (top === undefined || top === real) return undefined;
  const shared = await sharedFolder(real);
  // For the main worktree, and for a folder that the repository doesn't list, no other folder corresponds.
  if (shared === real || shared === join(real, ".git") || shared !== (await sharedFolder(top))) return undefined;
  const part = join(real, relative(top, own));
  return (await realPath(part)) === part ? part : undefined;
}

function realPath(path: string): Promise<string | undefined> {
  return realPlace(path);
}
