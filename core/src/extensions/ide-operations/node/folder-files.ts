import { readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { toolFolders } from "../../../base/node/project-folders.js";
import { askGit } from "../../../base/node/safe-git.js";

const maxOutputBytes = 64 * 1024 * 1024;
/** Limit for folders without Git. */
const mostFiles = 50_000;
interface ListedFiles {
  /** Absolute, sorted. */
  readonly paths: readonly string[];
  /** False if the limit was reached. */
  readonly isWhole: boolean;
}

/**
 * Lists the files below a folder: those that Git tracks, and untracked files that are neither ignored nor in build folders, since a new
 * project may have no .gitignore. `extensions` filters by file name endings without the dot, for example `rs`.
 */
export async function listFolderFiles(
  folder: string,
  extensions: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<ListedFiles> {
  const listed = await filesOfGit(folder, signal);
  const found: string[] = listed ?? [];
  if (!listed) await collect(folder, found, signal);
  const endings = extensions?.map((extension) => `.${extension}`);
  const paths = endings ? found.filter((path) => endings.some((ending) => path.endsWith(ending))) : found;
  return { paths: paths.sort(), isWhole: listed !== undefined || found.length < mostFiles };
}

/** Checks the folder names of a relative path. */
function looksGenerated(path: string): boolean {
  return foldersOf(path).some((name) => name.startsWith(".") || toolFolders.has(name));
}

/** Whether a relative path is in a folder of build or package tools. Files there that Git tracks are still treated as sources. */
function isInBuildFolder(path: string): boolean {
  return foldersOf(path).some((name) => toolFolders.has(name));
}

/** Returns the absolute paths of tracked files in build folders; empty if Git fails. */
async function trackedInBuildFolders(folder: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const folders = [...toolFolders].map((name) => `:(glob)**/${name}/**`);
  const names = await namesOfGit(folder, ["--cached", "--", ...folders], signal).catch(() => []);
  signal.throwIfAborted();
  return new Set(names.map((name) => join(folder, name)));
}

function foldersOf(path: string): readonly string[] {
  return path.split(/[\\/]/).slice(0, -1);
}

/** Returns undefined if Git fails. */
async function filesOfGit(folder: string, signal: AbortSignal): Promise<string[] | undefined> {
  try {
    const [tracked, others] = await Promise.all([
      namesOfGit(folder, ["--cached"], signal),
      namesOfGit(folder, ["--others"], signal),
    ]);
    const names = new Set([...tracked, ...others.filter((name) => !isInBuildFolder(name))]);
    return [...names].map((name) => join(folder, name));
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

async function namesOfGit(folder: string, which: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
  const args = ["ls-files", "-z", "--exclude-standard", "--deduplicate", ...which];
  const answer = await askGit(folder, args, { signal, maxBytes: maxOutputBytes });
  if (answer?.code !== 0) throw new Error(answer?.fault ?? "git isn't available.");
  return answer.stdout.split("\0").filter((name) => name !== "");
}

async function collect(folder: string, found: string[], signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (found.length >= mostFiles) return;
    if (entry.name.startsWith(".")) continue;
    if (entry.isFile()) found.push(join(folder, entry.name));
    else if (entry.isDirectory() && !toolFolders.has(entry.name))
      await collect(join(folder, entry.name), found, signal);
  }
}

/** Cache time. Ignore rules change rarely, and an outdated result only affects the order of answers. */
const knownMs = 60_000;
const mostKnown = 20_000;
const checkTimeoutMs = 5_000;

/** Separates handwritten from generated or installed files. Asks Git once per file. */
export class OwnFiles {
  #folder = "";
  #askedAt = 0;
  readonly #isOwn = new Map<string, boolean>();

  /**
   * Returns those of `paths` that are in the folder, not ignored, and tracked if in a build folder. Without Git, excludes paths that look
   * generated.
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

/** Returns undefined if Git fails. */
async function ignoredByGit(
  folder: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  const options = { signal, timeoutMs: checkTimeoutMs, input: paths.join("\0"), maxBytes: maxOutputBytes };
  const answer = await askGit(folder, ["check-ignore", "-z", "--stdin"], options);
  signal.throwIfAborted();
  // `git check-ignore` exits with 1 if no path is ignored.
  return answer?.code === 0 || answer?.code === 1 ? new Set(answer.stdout.split("\0")) : undefined;
}
