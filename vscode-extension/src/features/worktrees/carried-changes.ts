import { constants } from "node:fs";
import { chmod, copyFile, lstat, mkdir, readlink, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { UserGit } from "./user-git.js";
import { treeOf } from "./worktree-changes.js";

export async function uncommitted(git: UserGit, top: string): Promise<readonly string[]> {
  const words = ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all"];
  const lines = (await git.run(top, [...words, "--ignore-submodules=dirty"])).split("\0").filter((line) => line !== "");
  return lines.map((line) => line.slice(3));
}

/**
 * Copies uncommitted files, byte for byte, from one worktree to a fresh one of the same commit. Returns the skipped paths: submodules and
 * nested repositories.
 */
export async function carryOver(git: UserGit, from: string, to: string): Promise<readonly string[]> {
  const left: string[] = [];
  const carried: string[] = [];
  const paths = await uncommitted(git, from);
  for (const path of paths) {
    const isFolder = (await lstat(join(from, path)).catch(() => undefined))?.isDirectory() === true;
    // For a folder that replaced a file or link, Git also lists the files inside.
    if (!isFolder) carried.push(path);
    else if (!paths.some((one) => one.startsWith(`${path}/`))) left.push(path);
  }
  for (const path of carried) await clearWay(to, path);
  for (const path of carried) await copy(join(from, path), join(to, path));
  return left;
}

/** Removes files or links that block a path in the target tree, so that a copy is never written through a link. */
async function clearWay(top: string, path: string): Promise<void> {
  const names = path.split("/");
  for (let at = 1; at < names.length; at++) {
    const folder = join(top, ...names.slice(0, at));
    const found = await lstat(folder).catch(() => undefined);
    if (!found) return;
    if (!found.isDirectory()) {
      await rm(folder);
      return;
    }
  }
  await rm(join(top, path), { force: true, recursive: true });
}

async function copy(from: string, to: string): Promise<void> {
  const found = await lstat(from).catch(() => undefined);
  if (!found) return;
  await mkdir(dirname(to), { recursive: true });
  if (found.isSymbolicLink()) await symlink(await readlink(from), to);
  else if (found.isFile()) {
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    await chmod(to, found.mode & 0o777);
  }
}

const author = { NAME: "Symposium", EMAIL: "symposium@localhost" };
const identity = Object.fromEntries(
  ["AUTHOR", "COMMITTER"].flatMap((who) => Object.entries(author).map(([key, value]) => [`GIT_${who}_${key}`, value])),
);

/** Commits a worktree's files without a branch, and leaves the index and the branch unchanged. Returns the commit id. */
export async function commitAside(git: UserGit, top: string): Promise<string> {
  const tree = await treeOf(git, top);
  const words = ["commit-tree", tree, "-p", "HEAD", "-m", "Uncommitted changes when the worktree was created"];
  return (await git.run(top, words, { env: identity })).trim();
}
