import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { lstat, mkdir, open, rename, rm, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { atomicWrite, projectFileMode } from "@symposium-dev/core/node";

interface PlaceOptions {
  /** Permission bits; without them a file keeps its own. */
  readonly mode?: number | undefined;
  /** Looks once more, right before what is there is replaced or removed; where it rejects, nothing changes. */
  readonly beforeReplacing?: () => Promise<void>;
}

/**
 * Puts a file or a link where it was, or takes away what is there for null. What is there is replaced at once, a link
 * too, which is not followed. Rejects with the system's error, and has changed nothing then.
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
        // Beside the link: the mode of what it leads to is not the file's.
        await atomicWrite(temporary, what, { newFileMode: projectFileMode, isRealPath: true });
        await setMode(temporary, mode);
      }
    });
    return;
  }
  await atomicWrite(path, what, { newFileMode: projectFileMode, isRealPath: true, beforeReplacing });
  await setMode(path, mode);
}

/** Sets a file's permission bits, if there are any to set. Rejects if the path is a link: what that leads to is another file. */
export async function setMode(path: string, mode: number | undefined): Promise<void> {
  if (mode === undefined) return;
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  await file.chmod(mode);
}

/** Puts something in the place of what is there, of which one of them is a link. */
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
