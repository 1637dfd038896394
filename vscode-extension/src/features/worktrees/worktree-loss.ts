import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { openUntrusted } from "@symposium-dev/core/node";
import { onlyThere } from "./merge-plan.js";
import type { OpenedMerge } from "./merge-sides.js";
import type { FoundWorktree, Worktrees } from "./worktrees.js";

/** Size in bytes of the chunks in which files are compared, because ignored files may not fit in memory. */
const chunkBytes = 1024 * 1024;

export interface Loss {
  readonly files: readonly string[];
  /** Ignored paths that are missing or different in the main tree. A folder ends with a slash. */
  readonly ignored: readonly string[];
  readonly commits: number;
}

export function isWithin(loss: Loss, agreed: Loss): boolean {
  const isIn = (all: readonly string[]) => (path: string) => all.includes(path);
  const areIn = loss.files.every(isIn(agreed.files)) && loss.ignored.every(isIn(agreed.ignored));
  return areIn && loss.commits <= agreed.commits;
}

/** Determines what a removal would lose. `opened` is undefined if only the worktree's branch is left. */
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
  // The main tree's files may have been reset since they were copied, so the copies may be the only ones.
  const carried = (await worktrees.carried({ root })).filter((path) => !changed.has(path));
  const copies = carried.map((path) => ({ path, kind: "file", wasThere: true }) as const);
  const ignored: string[] = [];
  for (const path of await worktrees.ignored({ root }))
    if (!(await isThereToo(join(root, path), join(top, path)))) ignored.push(path);
  const all = [...changes, ...copies];
  const files = new Set(await onlyThere(all, sides));
  // Also compare byte order marks and executable bits, which aren't part of the texts.
  for (const { path } of all) if (!(await isThereToo(join(root, path), join(top, path)))) files.add(path);
  return { files: all.flatMap(({ path }) => (files.has(path) ? [path] : [])), ignored, commits };
}

async function isThereToo(file: string, other: string): Promise<boolean> {
  const [mine, its] = await Promise.all([statsOf(file), statsOf(other)]);
  if (!mine) return true;
  if (!its || mine.isDirectory() !== its.isDirectory()) return false;
  if (mine.isDirectory()) return true;
  // Links, sockets and similar entries are treated as equal if the other entry isn't a regular file either.
  if (!mine.isFile() || !its.isFile()) return mine.isFile() === its.isFile();
  return mine.size === its.size && canRun(mine) === canRun(its) && (await isSameContent(file, other));
}

function canRun({ mode }: Stats): boolean {
  return (mode & 0o111) !== 0;
}

/** Returns whether two files have the same content. Unreadable files are treated as different. */
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
