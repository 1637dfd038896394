import { randomBytes } from "node:crypto";
import { chmod, lstat, mkdir, rename, rm, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { atomicWrite, projectFileMode } from "@symposium-dev/core/node";

/**
 * Puts a file or a link where it was, or takes away what is there for null. A file is replaced
 * at once; a link that is there is replaced, not followed. Without `mode` (permission bits) a file keeps its own. Rejects with the
 * system's error.
 */
export async function placeFile(
  path: string,
  what: Uint8Array | { readonly target: string } | null,
  mode?: number,
): Promise<void> {
  if (what === null) {
    await rm(path, { force: true });
    return;
  }
  if (!("target" in what)) {
    const isLink = await lstat(path).then(
      (stats) => stats.isSymbolicLink(),
      () => false,
    );
    // The mode of what it leads to is not the file's.
    if (isLink) await rm(path, { force: true });
    await atomicWrite(path, what, { newFileMode: projectFileMode, isRealPath: true });
    if (mode !== undefined) await chmod(path, mode);
    return;
  }
  await mkdir(dirname(path), { recursive: true });
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
  await symlink(what.target, temporary);
  try {
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
