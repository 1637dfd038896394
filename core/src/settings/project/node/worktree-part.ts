import { lstat } from "node:fs/promises";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import { realPlace } from "../../../base/node/folders.js";
import { foldersOfProject, sharedFolder } from "./find-project.js";

/**
 * What of the Git worktree with the topmost folder `root` stands for `folder`, which lies in the repository's main tree or in
 * another worktree of it: the same folder there, links followed. Undefined where the worktree and that repository do not name
 * each other, and where a link leads there.
 */
export async function worktreePart(root: string, folder: string, home = homedir()): Promise<string | undefined> {
  const [own, real] = [await realPath(folder), await realPath(root)];
  if (own === undefined || real === undefined || (await lstat(root)).isSymbolicLink()) return undefined;
  const top = (await foldersOfProject(own, home)).at(-1);
  if (top === undefined || top === real) return undefined;
  const shared = await sharedFolder(real);
  // The main tree, or a folder that no repository knows, stands for nothing but itself.
  if (shared === real || shared === join(real, ".git") || shared !== (await sharedFolder(top))) return undefined;
  const part = join(real, relative(top, own));
  return (await realPath(part)) === part ? part : undefined;
}

function realPath(path: string): Promise<string | undefined> {
  return realPlace(path);
}
