import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root folder, seen from the compiled test. */
export const repositoryRoot = fileURLToPath(new URL("../../../", import.meta.url));

/** The folder of the Node that the repository pins; that of the running Node where it is not installed. */
export const nodeFolder = existsSync(join(repositoryRoot, "node_modules", ".bin", "node"))
  ? join(repositoryRoot, "node_modules", ".bin")
  : dirname(process.execPath);

/** A PATH that finds programs in `folders`, then the repository's Node, then everything else. */
export function pathWith(...folders: readonly string[]): string {
  return [...folders, nodeFolder, process.env["PATH"] ?? ""].join(delimiter);
}
