import { randomBytes } from "node:crypto";
import { chown, mkdir, open, readFile, readlink, realpath, rename, rm, stat, type FileHandle } from "node:fs/promises";
import type { Stats } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** Windows refuses to replace a file while another program reads it, which is usually over soon. */
const busyCodes = new Set(["EPERM", "EACCES", "EBUSY"]);
const busyAttempts = 10;
const busyWaitMs = 25;

interface AtomicWriteOptions {
  /** Permissions of a file that was not there, less the user's umask; for the user only when absent. */
  readonly newFileMode?: number;
  /** The path was checked with its links followed: a link that is there now is replaced, not followed. */
  readonly isRealPath?: boolean;
  /** Looks once more, right before the new content takes the place of the old; where it rejects, nothing changes. */
  readonly beforeReplacing?: () => Promise<void>;
}

/** {@link AtomicWriteOptions.newFileMode} of a project's files, which other users may read as the user's umask says. */
export const projectFileMode = 0o666;

/** Where a file stays that is replaced although nobody could read it, beside it; with the time in UTC, to the second. */
export function keptAsideName(file: string): string {
  return `${file}.broken-${new Date().toISOString().replace(/\D/g, "").slice(0, 14)}`;
}

/**
 * Replaces the file's whole content: whoever reads it at any time sees the old content or the new one, also when
 * several write at once or the power fails. Creates missing folders. An existing file keeps its permissions and
 * owner; a symbolic link stays, and the file it leads to is written. Rejects with the system's error, and leaves
 * nothing behind.
 */
export async function atomicWrite(
  file: string,
  content: string | Uint8Array,
  { newFileMode = 0o600, isRealPath = false, beforeReplacing }: AtomicWriteOptions = {},
): Promise<void> {
  const target = isRealPath ? file : await followLinks(file);
  const folder = dirname(target);
  await makeFolder(folder);
  const old = await statOf(target);
  const temporary = join(folder, `.${basename(target)}.${process.pid}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    await writeSynced(temporary, content, old, newFileMode);
    await beforeReplacing?.();
    await replace(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(folder);
}

/**
 * Makes a folder and those above it that are missing; resolves with the first one that it made. Rejects with the system's
 * error, unlike Node's `recursive`, which says `ENOENT` of a disk that can only be read, as if a folder had just gone.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<string | undefined> {
  let first: string | undefined;
  if ((await statOf(dirname(path))) === undefined && dirname(path) !== path)
    first = await makeFolder(dirname(path), mode);
  try {
    await mkdir(path, { mode });
    return first ?? path;
  } catch (error) {
    // Whatever the system has against making a folder that is there.
    const isThere = (await stat(path).catch(() => undefined))?.isDirectory() === true;
    if (isThere) return first;
    throw error;
  }
}

/** The file that `file` leads to, which need not exist. A circle of links fails with `ELOOP`. */
async function followLinks(file: string): Promise<string> {
  const existing = await unlessCode(realpath(file), ["ENOENT"]);
  if (existing !== undefined) return existing;
  const next = await unlessCode(readlink(file), ["ENOENT", "EINVAL", "UNKNOWN"]);
  return next === undefined ? resolve(file) : followLinks(resolve(await realpath(dirname(file)), next));
}

function statOf(file: string): Promise<Stats | undefined> {
  return unlessCode(stat(file), ["ENOENT"]);
}

async function writeSynced(
  file: string,
  content: string | Uint8Array,
  old: Stats | undefined,
  newFileMode: number,
): Promise<void> {
  const handle = await open(file, "wx", old ? 0o600 : newFileMode);
  try {
    await handle.writeFile(content, "utf8");
    if (old) await copyAccess(handle, file, old);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function copyAccess(handle: FileHandle, file: string, old: Stats): Promise<void> {
  const { uid, gid } = await handle.stat();
  // Only a privileged user may give files away; for everybody else the file is already theirs.
  if (uid !== old.uid || gid !== old.gid) await unlessCode(chown(file, old.uid, old.gid), ["EPERM", "ENOSYS"]);
  await handle.chmod(old.mode & 0o777);
}

async function replace(temporary: string, target: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await rename(temporary, target);
      return;
    } catch (error) {
      if (process.platform !== "win32" || !busyCodes.has(systemCode(error)) || attempt === busyAttempts) throw error;
      await wait(busyWaitMs);
    }
  }
}

/** Makes the rename itself durable, where the system lets a folder be synced. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await unlessCode(open(folder, "r"), ["EACCES", "EPERM"]);
  try {
    if (handle) await unlessCode(handle.sync(), ["EINVAL", "ENOTSUP", "EPERM", "EROFS"]);
  } finally {
    await handle?.close();
  }
}

/** The text of a file; undefined where there is none. Rejects where one cannot be read: it must not be taken for absent, and replaced. */
export async function readIfThere(file: string): Promise<string | undefined> {
  return unlessCode(readFile(file, "utf8"), ["ENOENT"]);
}

/** What `attempt` resolves with, or undefined when it fails with one of `codes`. */
export async function unlessCode<T>(attempt: Promise<T>, codes: readonly string[]): Promise<T | undefined> {
  try {
    return await attempt;
  } catch (error) {
    if (codes.includes(systemCode(error))) return undefined;
    throw error;
  }
}

/** The system's code of an error, such as `ENOENT`, or an empty text. */
export function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
