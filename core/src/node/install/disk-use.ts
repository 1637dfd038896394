import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Bytes of all files in `folder`; a file with several names counts once. Links are not followed. */
export async function folderBytes(folder: string): Promise<number> {
  const seen = new Set<string>();
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])) {
    if (!entry.isFile()) continue;
    const stats = await lstat(join(entry.parentPath, entry.name)).catch(() => undefined);
    if (stats === undefined) continue;
    const identity = `${stats.dev}:${stats.ino}`;
    if (stats.nlink > 1 && seen.has(identity)) continue;
    seen.add(identity);
    bytes += stats.size;
  }
  return bytes;
}
