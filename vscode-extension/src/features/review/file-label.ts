import { isAbsolute, relative, sep } from "node:path";

/** Path below the folder with `/` between its parts; undefined for a path outside of it. */
export function labelBelow(folder: string, path: string): string | undefined {
  const below = relative(folder, path);
  const isBelow = below !== "" && below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below);
  return isBelow ? below.replaceAll(sep, "/") : undefined;
}
