import { isAbsolute, relative, sep } from "node:path";

/** Whether the absolute `path` is `folder` or stands in it. */
export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
