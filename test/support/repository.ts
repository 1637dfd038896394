import { delimiter, dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root folder, seen from the compiled test. */
export const repositoryRoot = fileURLToPath(new URL("../../../", import.meta.url));

/** The folder of the Node that runs the tests, which `npm test` takes from the lock. */
export const nodeFolder = dirname(process.execPath);

/** A PATH that finds programs in `folders`, then the repository's Node, then everything else. */
export function pathWith(...folders: readonly string[]): string {
  return [...folders, nodeFolder, process.env["PATH"] ?? ""].join(delimiter);
}
