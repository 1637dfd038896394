import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";

/** More than git reads of it. */
const headBytes = 4096;

/**
 * Whether git may take what stands there for the `HEAD` of a repository (`validate_headref` of its setup.c): a link, a reference, the name
 * of a commit. What cannot be told is one: a file with a second name, by which others may write it, or one that cannot be read.
 */
export function mayBeHead(path: string): boolean {
  let file: number | undefined;
  try {
    // A pipe would keep us waiting for somebody to write it.
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

/** What makes a repository of a folder with a `HEAD`: the first two, or the third, which names where they are. */
export const besideHead = ["objects", "refs", "commondir"] as const;

/** Whether git may take the folder itself for a repository, as it does with bare ones. */
export function isGitFolder(folder: string): boolean {
  const [objects, refs, common] = besideHead.map((name) => existsSync(join(folder, name)));
  return ((objects && refs) || common) === true && mayBeHead(join(folder, "HEAD"));
}
