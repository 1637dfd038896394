import { outerPath as pathOutside } from "../../../base/node/search-path-outside-project.js";
import { refusedRoot } from "./sandbox-paths.js";

/**
 * Returns the PATH for programs that run outside sandboxes on behalf of sandboxed programs. Omits folders in `roots`, where agents could
 * put programs, unless no sandbox makes them writable.
 */
export function outerPath(path: string, roots: readonly string[], configFolder: string): string {
  return pathOutside(path, openRoots(roots, configFolder));
}

export function openRoots(roots: readonly string[], configFolder: string): readonly string[] {
  return roots.filter((root) => refusedRoot(root, configFolder) === undefined);
}
