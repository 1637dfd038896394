import { relative, sep } from "node:path";
import { isInside } from "@symposium-dev/core/node";

/** Returns a path relative to the folder, with `/`; undefined outside the folder. */
export function labelBelow(folder: string, path: string): string | undefined {
  const below = isInside(path, folder) ? relative(folder, path) : "";
  return below === "" ? undefined : below.replaceAll(sep, "/");
}
