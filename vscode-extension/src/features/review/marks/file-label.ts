import { relative, sep } from "node:path";
import { isInside } from "@symposium-dev/core/node";

/** Path below the folder with `/` between its parts; undefined for a path outside of it. */
export function labelBelow(folder: string, path: string): string | undefined {
  const below = isInside(path, folder) ? relative(folder, path) : "";
  return below === "" ? undefined : below.replaceAll(sep, "/");
}
