import { systemCode } from "@symposium-dev/core/node";
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, readlink } from "node:fs/promises";
import { join } from "node:path";

/** Maximum bytes to read into memory; larger files are treated as changed. */
const maxBytes = 64 * 1024 * 1024;

/** Runs git in the work tree and returns its output; undefined if git fails. */
type Git = (...args: readonly string[]) => Promise<string | undefined>;

/**
 * Returns the paths that differ from HEAD, except files with merge conflicts; undefined if git fails. git only lists files and this
 * process compares them, because `git status` would run filters from the repository's configuration. A file with a filter, such as one in
 * Git LFS, is therefore reported as different.
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

/** Returns the bytes of a file or link and its mode as Git records it; "unknown" for folders, pipes, devices and oversized files. */
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

/** Converts CRLF to LF, as `core.autocrlf` does before a commit. */
function withLineFeeds(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
}

/** Computes a Git blob id with the algorithm of the id `like`: SHA-1 (40 digits) or SHA-256. */
function hashOf(bytes: Buffer, like: string): string {
  const hash = createHash(like.length === 40 ? "sha1" : "sha256");
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}
