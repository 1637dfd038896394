import { systemCode } from "@symposium-dev/core/node";
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, readlink } from "node:fs/promises";
import { join } from "node:path";

/** Larger files count as changed: they would be read into memory. */
const maxBytes = 64 * 1024 * 1024;

/** Prints the output of a git command in the work tree; undefined if git fails. */
type Git = (...args: readonly string[]) => Promise<string | undefined>;

/**
 * Returns the paths that differ from the commit that is checked out, except files with merge conflicts. Git only lists, and this
 * process compares: `git status` would run filters that the repository's configuration names. So a file that a filter changes, such
 * as one of Git LFS, differs. Undefined if git fails.
 */
export async function unlikeHead(
  git: Git,
  top: string,
  paths: readonly string[],
): Promise<ReadonlySet<string> | undefined> {
  const committed = await git("ls-tree", "-r", "-z", "HEAD");
  const conflicts = await git("ls-files", "-u", "-z");
  if (committed === undefined || conflicts === undefined) return undefined;
  const blobs = new Map(entriesIn(top, committed));
  const unmerged = new Set(entriesIn(top, conflicts).map(([path]) => path));
  const different = await Promise.all(
    paths.map(async (path) => !unmerged.has(path) && !(await isUnchanged(path, blobs.get(path)))),
  );
  return new Set(paths.filter((_, index) => different[index]));
}

/** The words before the path of each entry of `ls-tree -z` or `ls-files -u -z`, by absolute path. */
function entriesIn(top: string, listed: string): (readonly [path: string, words: readonly string[]])[] {
  return listed.split("\0").flatMap((entry) => {
    const tab = entry.indexOf("\t");
    return tab === -1 ? [] : [[join(top, entry.slice(tab + 1)), entry.slice(0, tab).split(" ")] as const];
  });
}

async function isUnchanged(path: string, [mode, type, oid = ""]: readonly string[] = []): Promise<boolean> {
  const now = await contentOf(path);
  if (now === "none") return mode === undefined;
  if (type !== "blob" || now === "unknown") return type === "commit";
  if (now.mode !== mode && process.platform !== "win32") return false;
  return [now.bytes, withLineFeeds(now.bytes)].some((bytes) => hashOf(bytes, oid) === oid);
}

/** Git's mode of a file or link, and its bytes; "unknown" for a folder, a pipe, a device and a file that is too large. */
async function contentOf(
  path: string,
): Promise<{ readonly mode: string; readonly bytes: Buffer } | "none" | "unknown"> {
  try {
    if ((await lstat(path)).isSymbolicLink()) return { mode: "120000", bytes: await readlink(path, "buffer") };
    await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > maxBytes) return "unknown";
    return { mode: stats.mode & 0o100 ? "100755" : "100644", bytes: await file.readFile() };
  } catch (error) {
    return systemCode(error) === "ENOENT" ? "none" : "unknown";
  }
}

/** The bytes that git commits of a text if `core.autocrlf` gave it carriage returns. */
function withLineFeeds(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
}

/** Git's id of a blob, by the algorithm of another id: SHA-1 (40 digits) or SHA-256. */
function hashOf(bytes: Buffer, like: string): string {
  const hash = createHash(like.length === 40 ? "sha1" : "sha256");
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}
