import { randomBytes } from "node:crypto";
import { chown, mkdir, open, readFile, readlink, realpath, rename, rm, stat, type FileHandle } from "node:fs/promises";
import type { Stats } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** Error codes for a busy file. Windows refuses to replace a file while another program reads it, usually for a short time. */
const busyCodes = new Set(["EPERM", "EACCES", "EBUSY"]);
const busyAttempts = 10;
const busyWaitMs = 25;

interface AtomicWriteOptions {
  /** Permissions of a new file before the umask; by default only for the user. */
  readonly newFileMode?: number;
  /** Whether the path is already resolved; a link that appeared since is replaced instead of followed. */
  readonly isRealPath?: boolean;
  /** Final check right before the replacement; a rejection leaves the file unmodified. */
  readonly beforeReplacing?: () => Promise<void>;
}

/** {@link AtomicWriteOptions.newFileMode} for project files, which other users may read subject to the umask. */
export const projectFileMode = 0o666;

/** Returns a name for the backup of an unreadable file, with the UTC time in seconds. */
export function keptAsideName(file: string): string {
  return `${file}.broken-${new Date().toISOString().replace(/\D/g, "").slice(0, 14)}`;
}

/**
 * Replaces a file's content atomically, even with concurrent writers or a power failure. Creates missing folders, preserves permissions and
 * owner, and writes to the target of a symbolic link. Rejects with the system's error and leaves no temporary files.
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
 * Creates a folder with missing parents and returns the first folder that it created. Rejects with the real error; Node's `recursive`
 * reports a read-only disk as `ENOENT`.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<string | undefined> {
  let first: string | undefined;
  if ((await statOf(dirname(path))) === undefined && dirname(path) !== path)
    first = await makeFolder(dirname(path), mode);
  try {
    await mkdir(path, { mode });
    return first ?? path;
  } catch (error) {
    // Ignores any error if the folder exists.
    const isThere = (await stat(path).catch(() => undefined))?.isDirectory() === true;
    if (isThere) return first;
    throw error;
  }
}

/** Resolves links to the final file, which may not exist. Fails with `ELOOP` for a cycle. */
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
  await using handle = await open(file, "wx", old ? 0o600 : newFileMode);
  await handle.writeFile(content, "utf8");
  if (old) await copyAccess(handle, file, old);
  await handle.sync();
}

async function copyAccess(handle: FileHandle, file: string, old: Stats): Promise<void> {
  const { uid, gid } = await handle.stat();
  // Only privileged users may change the owner; for other users, the file already has the right owner.
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

/** Makes the rename durable if the system supports syncing folders. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  await using handle = await unlessCode(open(folder, "r"), ["EACCES", "EPERM"]);
  if (handle) await unlessCode(handle.sync(), ["EINVAL", "ENOTSUP", "EPERM", "EROFS"]);
}

/** Reads a file; undefined if it doesn't exist. Rejects if it is unreadable, so that callers don't replace it as if it were absent. */
export async function readIfThere(file: string): Promise<string | undefined> {
  return unlessCode(readFile(file, "utf8"), ["ENOENT"]);
}

/** Resolves like `attempt`, or with undefined if it fails with one of `codes`. */
export async function unlessCode<T>(attempt: Promise<T>, codes: readonly string[]): Promise<T | undefined> {
  try {
    return await attempt;
  } catch (error) {
    if (codes.includes(systemCode(error))) return undefined;
    throw error;
  }
}

export function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
