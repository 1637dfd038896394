import { constants } from "node:fs";
import { chmod, copyFile, lstat, mkdir, readlink, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { UserGit } from "./user-git.js";
import { treeOf } from "./worktree-changes.js";

/** Paths that are not as in the commit that is checked out, ignored ones not among them; no submodule is looked into. */
export async function uncommitted(git: UserGit, top: string): Promise<readonly string[]> {
  const words = ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all"];
  const lines = (await git.run(top, [...words, "--ignore-submodules=dirty"])).split("\0").filter((line) => line !== "");
  return lines.map((line) => line.slice(3));
}

/**
 * Copies what is not committed in one worktree into a fresh one of the same commit, byte for byte. Resolves with the
 * paths that are left out: submodules and repositories inside.
 */
export async function carryOver(git: UserGit, from: string, to: string): Promise<readonly string[]> {
  const left: string[] = [];
  const carried: string[] = [];
  const paths = await uncommitted(git, from);
  for (const path of paths) {
    const isFolder = (await lstat(join(from, path)).catch(() => undefined))?.isDirectory() === true;
    // A folder in the place of a file or a link is told of by what is in it.
    if (!isFolder) carried.push(path);
    else if (!paths.some((one) => one.startsWith(`${path}/`))) left.push(path);
  }
  for (const path of carried) await clearWay(to, path);
  for (const path of carried) await copy(join(from, path), join(to, path));
  return left;
}

/** A file may stand where a folder or a link was, and the other way round: what is copied is never written through a link. */
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

/** A worktree's files as a commit that is on no branch; its index and its branch stay as they are. Resolves with its id. */
export async function commitAside(git: UserGit, top: string): Promise<string> {
  const tree = await treeOf(git, top);
  const words = ["commit-tree", tree, "-p", "HEAD", "-m", "Not committed where the worktree began"];
  return (await git.run(top, words, { env: identity })).trim();
}
