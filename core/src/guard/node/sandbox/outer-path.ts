import { outerPath as pathOutside } from "../../../base/node/outer-path.js";
import { refusedRoot } from "./sandbox-paths.js";

/**
 * The PATH for what runs outside of sandboxes because of them, without folders in `roots`: what agents write there would run without a
 * sandbox. Folders that no sandbox opens for writing are no roots.
 */
export function outerPath(path: string, roots: readonly string[], configFolder: string): string {
  return pathOutside(path, openRoots(roots, configFolder));
}

/** Those of `roots` that a sandbox opens for writing. */
export function openRoots(roots: readonly string[], configFolder: string): readonly string[] {
  return roots.filter((root) => refusedRoot(root, configFolder) === undefined);
}
