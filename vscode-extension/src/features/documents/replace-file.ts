import { randomBytes } from "node:crypto";
import { type FileHandle, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/**
 * Writes a file so that whoever reads it meanwhile sees the old content or the new one. Missing folders are made; an
 * existing file keeps its permissions. `path` has no links left to follow. Rejects with the system's error.
 */
export async function replaceFile(path: string, bytes: Uint8Array): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  const old = await stat(path).catch(() => undefined);
  const temporary = join(folder, `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
  const handle = await open(temporary, "wx", 0o666);
  try {
    await fill(handle, bytes, old?.mode);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function fill(handle: FileHandle, bytes: Uint8Array, mode: number | undefined): Promise<void> {
  try {
    await handle.writeFile(bytes);
    if (mode !== undefined) await handle.chmod(mode & 0o777);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
