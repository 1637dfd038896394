import { realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, relative, sep } from "node:path";

/** The folder and those above it, nearest first. */
export function foldersUp(folder: string): readonly string[] {
  const found = [folder];
  for (let at = folder; at !== dirname(at); at = dirname(at)) found.push(dirname(at));
  return found;
}

/** Whether `path` is `folder` or lies inside of it; both absolute. */
export function isInside(path: string, folder: string): boolean {
  const inside = relative(folder, path);
  return inside === "" || (inside !== ".." && !inside.startsWith(`..${sep}`) && !isAbsolute(inside));
}

/** Whether anything is at `path`, links followed. */
export async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/** The path with all links followed; undefined if it cannot be reached. */
export function realPlace(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}
