import { outerPath as pathOutside } from "../../../base/node/path-outside-project.js";
import { refusedRoot } from "./sandbox-paths.js";

/**
 * Returns PATH for programs that run outside sandboxes on their behalf. Omits folders in `roots`, where agents could plant programs, unless
 * no sandbox opens them for writing.
 */
export function outerPath(path: string, roots: readonly string[], configFolder: string): string {
  return pathOutside(path, openRoots(roots, configFolder));
}

export function openRoots(roots: readonly string[], configFolder: string): readonly string[] {
  return roots.filter((root) => refusedRoot(root, configFolder) === undefined);
}
