import { realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, relative, sep } from "node:path";

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
