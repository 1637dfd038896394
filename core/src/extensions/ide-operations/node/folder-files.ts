import { attempt } from "../../../base/attempt.js";
import { type Dirent, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
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

/** Maximum number of folders to compare before a list is reused, since comparing more takes longer than Git. */
const mostCompared = 2_000;
/** Milliseconds in which a second change may leave a folder's time unchanged. Some file systems store only even seconds. */
const clockMs = 2_100;

interface KeptList extends ListedFiles {
  readonly folder: string;
  readonly listedAt: number;
  /** Times of the folders in which files can appear, and of the files that determine what Git lists. */
  readonly times: ReadonlyMap<string, number | undefined>;
}

/**
 * Lists the files below a folder: those that Git tracks, and untracked files that are neither ignored nor in build folders, since a new
 * project may have no .gitignore. Keeps the last list until files appear, disappear or become ignored, since starting Git takes longer
 * than searching a small project.
 */
export class FolderFiles {
  #kept: Promise<KeptList | undefined> | undefined;

  /** `unsettledMs` is the time after a change in which lists aren't kept, because a second change could go unnoticed. */
  constructor(private readonly unsettledMs = clockMs) {}

  /** `extensions` filters by file name endings without the dot, for example `rs`. */
  async list(folder: string, extensions: readonly string[] | undefined, signal: AbortSignal): Promise<ListedFiles> {
    const { paths, isWhole } = (await this.#known(folder)) ?? (await this.#read(folder, signal));
    const endings = extensions?.map((extension) => `.${extension}`);
    return {
      paths: endings ? paths.filter((path) => endings.some((ending) => path.endsWith(ending))) : paths,
      isWhole,
    };
  }

  async #known(folder: string): Promise<ListedFiles | undefined> {
    const kept = await this.#kept;
    if (kept?.folder !== folder || Date.now() - kept.listedAt > knownMs) return undefined;
    for (const [path, time] of kept.times) if (timeOf(path) !== time) return undefined;
    return kept;
  }

  async #read(folder: string, signal: AbortSignal): Promise<ListedFiles> {
    const listedAt = Date.now();
    const listed = await filesOfGit(folder, signal);
    const found: string[] = listed?.paths ?? [];
    const folders: string[] = [];
    if (!listed) await collect(folder, found, folders, signal);
    const list = { folder, listedAt, paths: found.sort(), isWhole: listed !== undefined || found.length < mostFiles };
    // The caller doesn't wait for this. A change in the meantime makes the list unsettled.
    this.#kept = this.#keep(list, listed ?? folders, signal).catch(() => undefined);
    return list;
  }

  async #keep(
    list: Omit<KeptList, "times">,
    listed: GitList | string[],
    signal: AbortSignal,
  ): Promise<KeptList | undefined> {
    const { folder, listedAt, isWhole } = list;
    const folders = Array.isArray(listed) ? listed : await foldersToCompare(folder, listed.folders, signal);
    if (!folders || !isWhole || folders.length > mostCompared) return undefined;
    const compared = [...folders, join(folder, ".git", "index"), join(folder, ".git", "info", "exclude")];
    const times = new Map(compared.map((path) => [path, timeOf(path)]));
    const isSettled = [...times.values()].every((time = 0) => time < listedAt - this.unsettledMs);
    return isSettled ? { ...list, times } : undefined;
  }
}

/** Returns the time of the last change, which no program can set back; undefined if there is no file. */
function timeOf(path: string): number | undefined {
  return attempt(() => statSync(path).ctimeMs);
}

/** Returns the folders in which files can appear that Git lists, and their .gitignore files. Undefined if Git fails. */
async function foldersToCompare(
  folder: string,
  listed: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const found: string[] = [];
  const unlisted: string[] = [];
  if (listed.size < mostCompared) await collectFolders(folder, listed, found, unlisted);
  // Folders without listed files are empty or contain only ignored files, or are ignored.
  const ignored = unlisted.length === 0 ? new Set<string>() : await ignoredByGit(folder, unlisted, signal);
  for (const path of unlisted) if (ignored?.has(path) === false) await collectFolders(path, undefined, found, []);
  return ignored && found.length > 0 ? found : undefined;
}

/**
 * Adds a folder and its subfolders with .gitignore files to `found`, until there are too many. Adds subfolders that aren't `listed` to
 * `unlisted`, unless `listed` is undefined.
 */
async function collectFolders(
  folder: string,
  listed: ReadonlySet<string> | undefined,
  found: string[],
  unlisted: string[],
): Promise<void> {
  found.push(folder);
  for (const entry of await entriesOf(folder)) {
    if (found.length > mostCompared) return;
    const path = join(folder, entry.name);
    if (entry.name === ".gitignore") found.push(path);
    if (!entry.isDirectory() || entry.name === ".git") continue;
    if (listed?.has(path) === true) await collectFolders(path, listed, found, unlisted);
    else if (toolFolders.has(entry.name)) continue;
    else if (listed) unlisted.push(path);
    else await collectFolders(path, listed, found, unlisted);
  }
}

function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
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

interface GitList {
  readonly paths: string[];
  /** Folders with listed files. */
  readonly folders: ReadonlySet<string>;
}

/** Returns undefined if Git fails. */
async function filesOfGit(folder: string, signal: AbortSignal): Promise<GitList | undefined> {
  try {
    const names = new Set<string>();
    for (const line of await namesOfGit(folder, ["-t", "--cached", "--others"], signal)) {
      // Lines are a tag, a space and the name. The tag of untracked files is `?`.
      const name = line.slice(2);
      if (!line.startsWith("?") || !isInBuildFolder(name)) names.add(name);
    }
    const folders = new Set<string>();
    for (const name of names) {
      for (let at = dirname(name); at !== "." && !folders.has(join(folder, at)); at = dirname(at))
        folders.add(join(folder, at));
    }
    return { paths: [...names].map((name) => join(folder, name)), folders };
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

/** Adds the files below a folder without Git to `found`, and the folders to `folders`. */
async function collect(folder: string, found: string[], folders: string[], signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  folders.push(folder);
  for (const entry of await entriesOf(folder)) {
    if (found.length >= mostFiles) return;
    if (entry.name.startsWith(".")) continue;
    if (entry.isFile()) found.push(join(folder, entry.name));
    else if (entry.isDirectory() && !toolFolders.has(entry.name))
      await collect(join(folder, entry.name), found, folders, signal);
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
