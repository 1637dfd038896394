import { statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { toolFolders } from "../../../base/node/project-folders.js";
import { askGit } from "../../../base/node/safe-git.js";

interface KeptList {
  readonly folder: string;
  readonly files: ListedFiles;
  readonly listedAt: number;
  /** When each folder of the list, and each file that says what is ignored, was changed last. */
  readonly stamps: ReadonlyMap<string, number>;
}

/** Longer than an agent takes from one question to the next, and short for what no stamp shows. */
const keptMs = 10_000;
/** File systems do not separate changes that are closer than this. */
const youngMs = 100;
/** With more folders, looking at all of them takes longer than asking version control. */
const mostStamps = 500;

/** Lists the files of a folder as {@link listedFiles} does, and again only when something was added or removed. */
export class FileLists {
  #kept: KeptList | undefined;

  /** With `extensions`, those that end in one of them, such as `rs`. */
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

/** In milliseconds; 0 where there is nothing any more. */
function stampOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

const maxOutputBytes = 64 * 1024 * 1024;
/** Of folders without version control. */
const mostFiles = 50_000;
interface ListedFiles {
  /** Absolute, in order. */
  readonly paths: readonly string[];
  /** False where there are too many. */
  readonly isWhole: boolean;
}

/**
 * The files below a folder: those that git tracks, and of the others those that neither git ignores nor look generated,
 * since a new project may have no .gitignore yet.
 */
async function listedFiles(folder: string, signal: AbortSignal): Promise<ListedFiles> {
  const listed = await filesOfGit(folder, signal);
  if (listed) return { paths: listed.sort(), isWhole: true };
  const paths: string[] = [];
  await collect(folder, paths, signal);
  return { paths: paths.sort(), isWhole: paths.length < mostFiles };
}

/** By the names of the folders in a path that is relative. */
function looksGenerated(path: string): boolean {
  return foldersOf(path).some((name) => name.startsWith(".") || toolFolders.has(name));
}

/** Whether a relative path lies in a folder that builds and package tools fill: with git, what it tracks there counts. */
function isInBuildFolder(path: string): boolean {
  return foldersOf(path).some((name) => toolFolders.has(name));
}

/** The files, absolute, that git tracks in such folders; none where git does not know. */
async function trackedInBuildFolders(folder: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const folders = [...toolFolders].map((name) => `:(glob)**/${name}/**`);
  const names = await namesOfGit(folder, ["--cached", "--", ...folders], signal).catch(() => []);
  signal.throwIfAborted();
  return new Set(names.map((name) => join(folder, name)));
}

function foldersOf(path: string): readonly string[] {
  return path.split(/[\\/]/).slice(0, -1);
}

/** Undefined where git does not know. */
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
  if (answer?.code !== 0) throw new Error(answer?.fault ?? "There is no git.");
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

/** What is ignored changes seldom, and no answer is wrong for it, only in another order. */
const knownMs = 60_000;
const mostKnown = 20_000;
const checkTimeoutMs = 5_000;

/** Separates what people wrote from what was generated or installed: version control is asked about each file once. */
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

/** Undefined where git does not know. */
async function ignoredByGit(
  folder: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  const options = { signal, timeoutMs: checkTimeoutMs, input: paths.join("\0"), maxBytes: maxOutputBytes };
  const answer = await askGit(folder, ["check-ignore", "-z", "--stdin"], options);
  signal.throwIfAborted();
  // It ends with 1 if git ignores none of them.
  return answer?.code === 0 || answer?.code === 1 ? new Set(answer.stdout.split("\0")) : undefined;
}
