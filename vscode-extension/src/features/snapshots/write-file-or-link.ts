import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { lstat, mkdir, open, rename, rm, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { atomicWrite, projectFileMode } from "@symposium-dev/core/node";

interface PlaceOptions {
  /** Permission bits of the new file; default: the bits of the existing file. */
  readonly mode?: number | undefined;
  /** Last check right before a file is replaced or deleted. If the check rejects, nothing changes. */
  readonly beforeReplacing?: () => Promise<void>;
}

/**
 * Writes a file or link atomically, or deletes the path for null. Replaces an existing link instead of following it. Rejects with the
 * system's error.
 */
export async function placeFile(
  path: string,
  what: Uint8Array | { readonly target: string } | null,
  { mode, beforeReplacing = () => Promise.resolve() }: PlaceOptions = {},
): Promise<void> {
  if (what === null) {
    await beforeReplacing();
    await rm(path, { force: true });
    return;
  }
  const isLink = await lstat(path).then(
    (stats) => stats.isSymbolicLink(),
    () => false,
  );
  if ("target" in what || isLink) {
    await replaceLink(path, beforeReplacing, async (temporary) => {
      if ("target" in what) await symlink(what.target, temporary);
      else {
        // Create the temporary file beside the symlink, so that it doesn't inherit the mode of the symlink's target.
        await atomicWrite(temporary, what, { newFileMode: projectFileMode, isRealPath: true });
        await setMode(temporary, mode);
      }
    });
    return;
  }
  await atomicWrite(path, what, { newFileMode: projectFileMode, isRealPath: true, beforeReplacing });
  await setMode(path, mode);
}

/**
 * Sets a file's permission bits; does nothing if `mode` is undefined. Rejects for a link, because the link's target is a different file.
 */
export async function setMode(path: string, mode: number | undefined): Promise<void> {
  if (mode === undefined) return;
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  await file.chmod(mode);
}

async function replaceLink(
  path: string,
  beforeReplacing: () => Promise<void>,
  make: (temporary: string) => Promise<void>,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    await make(temporary);
    await beforeReplacing();
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
