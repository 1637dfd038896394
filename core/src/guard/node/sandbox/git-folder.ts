import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";

/** Number of bytes to read of `HEAD`, more than git itself reads. */
const headBytes = 4096;

/**
 * Returns whether git may accept `path` as a repository's `HEAD` (`validate_headref` in setup.c): a link, a reference or a commit. Also
 * true if that is uncertain, because the file is unreadable or has a second hard link through which others may write.
 */
export function mayBeHead(path: string): boolean {
  let file: number | undefined;
  try {
    // Don't block on a FIFO: a normal open would wait until someone writes to it.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(file);
    if (stats.isDirectory()) return false;
    if (!stats.isFile() || stats.nlink > 1) return true;
    const bytes = Buffer.alloc(headBytes);
    const text = bytes.toString("latin1", 0, readSync(file, bytes, 0, headBytes, 0));
    return /^(?:ref:\s*refs\/|[0-9a-f]{40})/i.test(text);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    return code !== "ENOENT" && code !== "ENOTDIR";
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Names that make a folder with a `HEAD` a repository: either the first two, or the third, which points to a folder with them. */
export const besideHead = ["objects", "refs", "commondir"] as const;

/** Returns whether git may treat the folder itself as a repository, as with bare ones. */
export function isGitFolder(folder: string): boolean {
  const [objects, refs, common] = besideHead.map((name) => existsSync(join(folder, name)));
  return ((objects && refs) || common) === true && mayBeHead(join(folder, "HEAD"));
}
