import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { toolFolders } from "../../../base/node/project-folders.js";
import { askGit } from "../../../base/node/safe-git.js";

interface KeptList {
  readonly folder: string;
  readonly files: ListedFiles;
  readonly listedAt: number;
  /** Modification times of the listed folders and ignore files. */
  readonly stamps: ReadonlyMap<string, number>;
}

/** Cache time: longer than the usual time between two questions, short because some changes alter no modification time. */
const keptMs = 10_000;
/** File systems don't distinguish changes within this time. */
const youngMs = 100;
/** Limit of checked folders; beyond it, asking Git is faster. */
const mostStamps = 500;

/** Lists a folder's files as {@link listedFiles} does. Caches the list until files are added or removed. */
export class FileLists {
  #kept: KeptList | undefined;

  /** `extensions` filters by file name endings without the dot, for example `rs`. */
  async list(folder: string, extensions: readonly string[] | undefined, signal: AbortSignal): Promise<ListedFiles> {
    const { paths, isWhole } = this.#current(folder) ?? (await this.#read(folder, signal));
    if (extensions === undefined) return { paths, isWhole };
    const endings = extensions.map((extension) => `.${extension}`);
    return { paths: paths.filter((path) => endings.some((ending) => path.endsWith(ending))), isWhole };
  }

  #current(folder: string): ListedFiles | undefined {
    const kept = this.#kept;
    if (kept?.folder !== folder || Date.now() - kept.listedAt > keptMs) return undefined;
    for (const [path, stamp] of kept.stamps) if (stampOf(path) !== stamp) return undefined;
    return kept.files;
  }

  async #read(folder: string, signal: AbortSignal): Promise<ListedFiles> {
    const listedAt = Date.now();
    const files = await listedFiles(folder, signal);
    const watched = watchedPaths(folder, files.paths);
    this.#kept = undefined;
    if (watched.size > mostStamps) return files;
    const stamps = new Map([...watched].map((path) => [path, stampOf(path)]));
    const isSettled = [...stamps.values()].every((stamp) => stamp < listedAt - youngMs);
    if (isSettled) this.#kept = { folder, files, listedAt, stamps };
    return files;
  }
}

function watchedPaths(folder: string, paths: readonly string[]): ReadonlySet<string> {
  const watched = new Set([folder]);
  for (const path of paths) {
    if (basename(path) === ".gitignore") watched.add(path);
    for (let parent = dirname(path); !watched.has(parent) && parent.length > folder.length; parent = dirname(parent)) {
      watched.add(parent);
    }
  }
  return watched;
}

/** Returns milliseconds since 1970; 0 if the path doesn't exist. */
function stampOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

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
 * project may have no .gitignore.
 */
async function listedFiles(folder: string, signal: AbortSignal): Promise<ListedFiles> {
  const listed = await filesOfGit(folder, signal);
  if (listed) return { paths: listed.sort(), isWhole: true };
  const paths: string[] = [];
  await collect(folder, paths, signal);
  return { paths: paths.sort(), isWhole: paths.length < mostFiles };
}

/** Checks the folder names of a relative path. */
function looksGenerated(path: string): boolean {
  return foldersOf(path).some((name) => name.startsWith(".") || toolFolders.has(name));
}

/** Whether a relative path is in a folder of build or package tools. Git's tracked files there count as sources. */
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
