import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** At most so many folders are read. */
const maxFolders = 400;
/** What tests and readers are given stands there; it says nothing about what the workspace is written in. */
const sampleFolders: ReadonlySet<string> = new Set([
  ...["fixture", "fixtures", "__fixtures__", "testdata", "test-data", "samples", "examples", "templates"],
]);

/** How much the name of a file is wanted, 0 being the most; undefined for not at all. */
type FileTest = (name: string) => number | undefined;

interface Folder {
  readonly path: string;
  readonly isSource: boolean;
  readonly isSample: boolean;
}

interface Candidate {
  readonly path: string;
  readonly isSample: boolean;
  /** The less the better. */
  readonly cost: number;
}

/**
 * For each of `tests` the file in `root` that stands best for those it accepts: one in a folder of sources, as a file beside
 * them may belong to no project; and near the top. Hidden folders belong to tools. Files of samples count only where there are
 * no others of any kind. Undefined where there is none, or the tree is too large to say.
 */
export async function findFiles(root: string, tests: readonly FileTest[]): Promise<readonly (string | undefined)[]> {
  const best: (Candidate | undefined)[] = tests.map(() => undefined);
  const folders: Folder[] = [{ path: root, isSource: false, isSample: false }];
  for (let read = 0; read < maxFolders; read++) {
    const folder = folders.shift();
    if (folder === undefined) break;
    const entries = await readdir(folder.path, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (entry.isDirectory()) {
        if (!entry.name.startsWith(".") && !isIgnoredFolder(entry.name)) folders.push(below(folder, entry.name));
        continue;
      }
      for (const [index, test] of tests.entries()) {
        const rank = test(entry.name);
        if (rank === undefined) continue;
        const cost = (folder.isSample ? 1_000 : 0) + (folder.isSource ? 0 : 100) + rank;
        if (cost >= (best[index]?.cost ?? Infinity)) continue;
        best[index] = { path: join(folder.path, entry.name), isSample: folder.isSample, cost };
      }
    }
  }
  const hasOwn = best.some((one) => one?.isSample === false);
  return best.map((one) => (hasOwn && one?.isSample === true ? undefined : one?.path));
}

function below(folder: Folder, name: string): Folder {
  return {
    path: join(folder.path, name),
    isSource: folder.isSource || name === "src" || name === "lib",
    isSample: folder.isSample || sampleFolders.has(name),
  };
}

/**
 * Folders that hold what tools make or fetch: neither watched nor searched for projects. Language servers read them by
 * themselves where they need them.
 */
const names: ReadonlySet<string> = new Set([
  ...[".git", ".hg", ".svn", ".jj"],
  ...["node_modules", "bower_components", "target", "dist", "out", "build", "vendor"],
  ...[".venv", "venv", "__pycache__", ".mypy_cache", ".pytest_cache", ".tox"],
  ...[".cache", ".next", ".nuxt", ".gradle", ".idea", ".symposium", "coverage"],
]);

/** Whether a folder of that name is left alone. */
export function isIgnoredFolder(name: string): boolean {
  return names.has(name);
}
