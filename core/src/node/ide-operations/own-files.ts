import { execFile } from "node:child_process";
import { relative, sep } from "node:path";
import { safeGitEnvironment, safeGitOptions } from "../safe-git.js";
import { isInBuildFolder, looksGenerated, trackedInBuildFolders } from "./listed-files.js";

/** What is ignored changes seldom, and no answer is wrong for it, only in another order. */
const knownMs = 60_000;
const mostKnown = 20_000;
const timeoutMs = 5_000;

/** Tells what people wrote from what was generated or installed: version control is asked about each file once. */
export class OwnFiles {
  #folder = "";
  #askedAt = 0;
  readonly #isOwn = new Map<string, boolean>();

  /**
   * Those of `paths` that are in the folder, neither ignored nor, unless git tracks them, in a build folder; without git,
   * those that do not look generated.
   */
  async among(folder: string, paths: readonly string[], signal: AbortSignal): Promise<ReadonlySet<string>> {
    if (this.#folder !== folder || Date.now() - this.#askedAt > knownMs || this.#isOwn.size > mostKnown) {
      this.#isOwn.clear();
      this.#folder = folder;
      this.#askedAt = Date.now();
    }
    const inside = paths.filter((path) => path.startsWith(folder.endsWith(sep) ? folder : folder + sep));
    const unknown = inside.filter((path) => !this.#isOwn.has(path));
    if (unknown.length > 0) {
      const ignored = await ignoredByGit(folder, unknown, signal);
      const isBuilt = (path: string): boolean => isInBuildFolder(relative(folder, path));
      const mayBeTracked = ignored !== undefined && unknown.some((path) => !ignored.has(path) && isBuilt(path));
      const tracked = mayBeTracked ? await trackedInBuildFolders(folder, signal) : new Set<string>();
      for (const path of unknown) {
        const isOwn = ignored
          ? !ignored.has(path) && (!isBuilt(path) || tracked.has(path))
          : !looksGenerated(relative(folder, path));
        this.#isOwn.set(path, isOwn);
      }
    }
    return new Set(inside.filter((path) => this.#isOwn.get(path) === true));
  }
}

/** Undefined where git cannot tell. */
function ignoredByGit(
  folder: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  const args = [...safeGitOptions, "-C", folder, "check-ignore", "-z", "--stdin"];
  const env = safeGitEnvironment();
  return new Promise((resolve, reject) => {
    const child = execFile("git", args, { signal, timeout: timeoutMs, windowsHide: true, env }, (failure, stdout) => {
      if (signal.aborted) reject(failure ?? new Error("aborted"));
      // It ends with 1 where none of them is ignored.
      else if (failure && failure.code !== 1) resolve(undefined);
      else resolve(new Set(stdout.split("\0")));
    });
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(paths.join("\0"));
  });
}
