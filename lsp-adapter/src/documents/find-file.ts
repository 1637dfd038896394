import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isIgnoredFolder } from "./ignored-folders.js";

/** At most so many folders are read. */
const maxFolders = 400;

/**
 * The first file in `root` that each of `tests` accepts by its name, those near the top first; undefined where there is none,
 * or the tree is too large to say.
 */
export async function findFiles(
  root: string,
  tests: readonly ((name: string) => boolean)[],
): Promise<readonly (string | undefined)[]> {
  const found: (string | undefined)[] = tests.map(() => undefined);
  const folders = [root];
  for (let read = 0; read < maxFolders && found.includes(undefined); read++) {
    const folder = folders.shift();
    if (folder === undefined) break;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (entry.isDirectory()) {
        if (!isIgnoredFolder(entry.name)) folders.push(join(folder, entry.name));
        continue;
      }
      for (const [index, test] of tests.entries()) {
        if (found[index] === undefined && test(entry.name)) found[index] = join(folder, entry.name);
      }
    }
  }
  return found;
}
