import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { checkPath } from "@symposium-dev/core/node";
import type { FileTruth } from "../review/files/compare-and-write-contract.js";
import type { MergeSides } from "./merge-plan.js";
import type { UserGit } from "./user-git.js";
import { type ChangedPath, CommitFiles } from "./worktree-changes.js";
import type { Worktree, Worktrees } from "./worktrees.js";

export interface OpenedMerge extends AsyncDisposable {
  readonly changes: readonly ChangedPath[];
  readonly sides: MergeSides;
}

interface MergePlaces {
  readonly git: UserGit;
  readonly worktrees: Worktrees;
  /** Returns a file including unsaved text. Takes an absolute path. */
  readonly truth: (path: string) => Promise<FileTruth>;
}

/** Opens everything needed to merge a worktree into the tree at `top`. Rejects with Git's message. */
export async function openMerge(
  { git, worktrees, truth }: MergePlaces,
  top: string,
  worktree: Pick<Worktree, "root">,
): Promise<OpenedMerge> {
  const base = await worktrees.baseOf(top, worktree);
  const changes = await worktrees.changes(top, worktree);
  const paths = changes.filter(({ kind, wasThere }) => kind === "file" && wasThere).map(({ path }) => path);
  const files = await CommitFiles.of(git, worktree.root, base, paths);
  const sides: MergeSides = {
    top,
    base: async (path) => (await truth(files.pathOf(path))).text,
    theirs: async (path) => (await truth(join(worktree.root, path))).text,
    ours: async (path) => ((await isOwn(top, path)) ? truth(join(top, path)) : { text: undefined, isTorn: false }),
  };
  return { changes, sides, [Symbol.asyncDispose]: () => files[Symbol.asyncDispose]() };
}

/** Returns whether neither the path nor a folder above it is a link, so that writes stay in the tree. */
async function isOwn(top: string, path: string): Promise<boolean> {
  try {
    const file = join(top, path);
    const [checked, folder] = [await checkPath(file, top, [top]), await checkPath(top, top, [top])];
    const isLink = (await lstat(file).catch(() => undefined))?.isSymbolicLink() === true;
    return !isLink && !checked.isGitInternal && checked.real === join(folder.real, path);
  } catch {
    return false;
  }
}
