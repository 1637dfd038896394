import { execFile } from "node:child_process";
import { relative, sep } from "node:path";
import { looksGenerated } from "./listed-files.js";

/** What is ignored changes seldom, and no answer is wrong for it, only in another order. */
const knownMs = 60_000;
const mostKnown = 20_000;
const timeoutMs = 5_000;

/** Tells what people wrote from what was generated or installed: version control is asked about each file once. */
export class OwnFiles {
  #folder = "";
  #askedAt = 0;
  readonly #isOwn = new Map<string, boolean>();

  /** Those of `paths` that are in the folder and not ignored; without git, those that do not look generated. */
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
      for (const path of unknown) {
        this.#isOwn.set(path, ignored ? !ignored.has(path) : !looksGenerated(relative(folder, path)));
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
  const args = ["-c", "core.fsmonitor=false", "-C", folder, "check-ignore", "-z", "--stdin"];
  const env = { ...process.env, GIT_OPTIONAL_LOCKS: "0" };
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
