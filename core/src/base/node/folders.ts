import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, sep } from "node:path";

export function foldersUp(folder: string): readonly string[] {
  const found = [folder];
  for (let at = folder; at !== dirname(at); at = dirname(at)) found.push(dirname(at));
  return found;
}

export function isInside(path: string, folder: string): boolean {
  const inside = relative(folder, path);
  return inside === "" || (inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside));
}

export async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

export function realPlace(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}

/** Returns the total size of all files in bytes. Hard links count once; symbolic links aren't followed. */
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
