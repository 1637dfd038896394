import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** Maximum number of folders to read. */
const maxFolders = 400;
/** Folders of test data and examples, which don't show the workspace's languages. */
const sampleFolders: ReadonlySet<string> = new Set([
  ...["fixture", "fixtures", "__fixtures__", "testdata", "test-data", "samples", "examples", "templates"],
]);

/** Returns the rank of a file by its name, 0 being best; undefined if the file doesn't qualify. */
type FileTest = (name: string) => number | undefined;

interface Folder {
  readonly path: string;
  readonly isSource: boolean;
  readonly isSample: boolean;
}

interface Candidate {
  readonly path: string;
  readonly isSample: boolean;
  /** Cost of choosing the file; the file with the lowest cost is chosen. */
  readonly cost: number;
}

/**
 * Returns for each of `tests` the best matching file in `root`: in a source folder, since files elsewhere may belong to no project, and
 * near the top. Skips hidden folders; uses sample files only if there are no others. Undefined if none is found within the folder limit.
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

/** Folders with generated or downloaded files, neither watched nor searched for projects. Language servers read them directly if needed. */
const names: ReadonlySet<string> = new Set([
  ...[".git", ".hg", ".svn", ".jj"],
  ...["node_modules", "bower_components", "target", "dist", "out", "build", "vendor"],
  ...[".venv", "venv", "__pycache__", ".mypy_cache", ".pytest_cache", ".tox"],
  ...[".cache", ".next", ".nuxt", ".gradle", ".idea", ".symposium", "coverage"],
]);

export function isIgnoredFolder(name: string): boolean {
  return names.has(name);
}
