import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/**
 * Removes the files in and below `folder` that nobody has written for `maxAgeMs`; folders stay. Never rejects: what is not
 * there, or cannot be removed, is left to the next time.
 */
export async function removeOldFiles(folder: string, maxAgeMs: number): Promise<void> {
  const oldest = Date.now() - maxAgeMs;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const { mtimeMs = oldest } = (await stat(file).catch(() => undefined)) ?? {};
    if (mtimeMs < oldest) await rm(file, { force: true }).catch(() => undefined);
  }
}
