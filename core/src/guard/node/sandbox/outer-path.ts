import { delimiter, isAbsolute } from "node:path";
import { isWithin } from "../../sandbox/sandbox-plan.js";
import { realPath } from "./machine-paths.js";
import { refusedRoot } from "./sandbox-paths.js";

const systemFolders = ["/usr/bin", "/bin"];

/**
 * The PATH for what runs outside of sandboxes because of them, without folders in `roots`, such as `.venv/bin` and `node_modules/.bin`:
 * what agents write there would run without a sandbox. Folders that no sandbox opens for writing are no roots.
 */
export function outerPath(path: string, roots: readonly string[], configFolder: string): string {
  const places = roots
    .filter((root) => refusedRoot(root, configFolder) === undefined)
    .map((root) => realPath(root) ?? root);
  const isOuter = (folder: string): boolean =>
    isAbsolute(folder) && !places.some((place) => isWithin(realPath(folder) ?? folder, place));
  const outer = path.split(delimiter).filter(isOuter);
  // An empty one means the working folder.
  return (outer.length > 0 ? outer : systemFolders).join(delimiter);
}
