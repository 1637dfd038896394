import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { openUntrusted } from "@symposium-dev/core/node";
import { onlyThere } from "./merge-plan.js";
import type { OpenedMerge } from "./merge-sides.js";
import type { FoundWorktree, Worktrees } from "./worktrees.js";

/** Ignored files may be larger than what fits into memory. */
const chunkBytes = 1024 * 1024;

/** What would be gone with a worktree. Paths are relative to its top, with slashes. */
export interface Loss {
  /** Files whose content is nowhere else in the main tree. */
  readonly files: readonly string[];
  /** What Git ignores: what the main tree has nothing of, a folder with a slash at its end, and files that are otherwise there. */
  readonly ignored: readonly string[];
  /** Commits that are in no other branch. */
  readonly commits: number;
}

/** Whether nothing more would be gone than what was agreed on. */
export function isWithin(loss: Loss, agreed: Loss): boolean {
  const isIn = (all: readonly string[]) => (path: string) => all.includes(path);
  const areIn = loss.files.every(isIn(agreed.files)) && loss.ignored.every(isIn(agreed.ignored));
  return areIn && loss.commits <= agreed.commits;
}

/** Finds it. `opened` is undefined where only the branch is left. */
export async function lossOf(
  worktrees: Pick<Worktrees, "carried" | "ignored" | "ownCommits">,
  top: string,
  { root, branch }: Pick<FoundWorktree, "root" | "branch">,
  opened: OpenedMerge | undefined,
): Promise<Loss> {
  const commits = await worktrees.ownCommits(top, branch);
  if (!opened) return { files: [], ignored: [], commits };
  const { changes, sides } = opened;
  const changed = new Set(changes.map(({ path }) => path));
  // The user may have put the main tree back since: then the copy is the only one.
  const carried = (await worktrees.carried({ root })).filter((path) => !changed.has(path));
  const copies = carried.map((path) => ({ path, kind: "file", wasThere: true }) as const);
  const ignored: string[] = [];
  for (const path of await worktrees.ignored({ root }))
    if (!(await isThereToo(join(root, path), join(top, path)))) ignored.push(path);
  const all = [...changes, ...copies];
  const files = new Set(await onlyThere(all, sides));
  // What texts do not tell: a byte order mark, and whether a file can be run.
  for (const { path } of all) if (!(await isThereToo(join(root, path), join(top, path)))) files.add(path);
  return { files: all.flatMap(({ path }) => (files.has(path) ? [path] : [])), ignored, commits };
}

/** Of a folder, whether the other place has one; of a file, whether it is the same there. */
async function isThereToo(file: string, other: string): Promise<boolean> {
  const [mine, its] = await Promise.all([statsOf(file), statsOf(other)]);
  if (!mine) return true;
  if (!its || mine.isDirectory() !== its.isDirectory()) return false;
  if (mine.isDirectory()) return true;
  // What is no file, such as a link or a socket, is nothing to be missed where the other place has its like.
  if (!mine.isFile() || !its.isFile()) return mine.isFile() === its.isFile();
  return mine.size === its.size && canRun(mine) === canRun(its) && (await isSameContent(file, other));
}

function canRun({ mode }: Stats): boolean {
  return (mode & 0o111) !== 0;
}

/** What cannot be read cannot be said to be the same. */
async function isSameContent(file: string, other: string): Promise<boolean> {
  try {
    await using mine = await openUntrusted(file, { maxBytes: Infinity });
    await using its = await openUntrusted(other, { maxBytes: Infinity });
    const buffers = [Buffer.alloc(chunkBytes), Buffer.alloc(chunkBytes)] as const;
    for (;;) {
      const [one, two] = await Promise.all([mine.read(buffers[0]), its.read(buffers[1])]);
      const isSame = buffers[0].subarray(0, one.bytesRead).equals(buffers[1].subarray(0, two.bytesRead));
      if (!isSame || one.bytesRead === 0) return isSame;
    }
  } catch {
    return false;
  }
}

function statsOf(path: string): Promise<Stats | undefined> {
  return lstat(path.replace(/\/$/, "")).catch(() => undefined);
}
