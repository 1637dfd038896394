import { realpath, stat } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { askGit, isInside, loadUntrustedText, openUntrusted } from "@symposium-dev/core/node";
import { unlikeHead } from "./files-unlike-head.js";
import { gitWriter } from "../turns/writer-id.js";

/** Matches reflog messages of git operations that change files. `commit` is missing, since it writes no files. */
const kindsOfWork = /^(checkout|merge|pull|rebase|reset|cherry-pick|revert|am|clone|stash)\b/;
/** Files whose times change when git may have changed a work tree. */
const traces = ["index", "HEAD", join("logs", "HEAD")];
/** `git status` codes for files with merge conflicts. */
const unmerged: ReadonlySet<string> = new Set(["DD", "AU", "UD", "UA", "DU", "AA", "UU"]);
/** Maximum number of paths to pass to git individually. */
const maxNamed = 200;
const maxReflogBytes = 16_384;
/** Tolerance for file system clocks that lag slightly. */
const slackMs = 50;

interface Repository {
  /** Absolute path of the work tree. */
  readonly top: string;
  /** Absolute path of the git directory, which is outside the work tree for worktrees and submodules. */
  readonly data: string;
}

/**
 * Detects changed files that git wrote: since the change, git ran in the files' repository, and the files match HEAD or have conflict
 * markers. Never modifies a repository.
 */
export class GitWork {
  readonly #repositories = new Map<string, Promise<Repository | undefined>>();

  /**
   * `mayAsk` returns whether git may run, because repositories can name programs for comparisons. No git executable inside `roots`, the
   * window's folders, is run. In repositories nested in these folders, which an agent may have created with its own filters, git only lists
   * files.
   */
  constructor(
    private readonly mayAsk: () => boolean,
    private readonly roots: () => readonly string[],
  ) {}

  /** Returns the writer of each file, by path. `paths` are absolute; repositories that can't be queried are skipped. */
  async writers(paths: readonly string[], sinceMs: number): Promise<ReadonlyMap<string, string>> {
    if (!this.mayAsk()) return new Map();
    const ofRepository = new Map<Repository, string[]>();
    for (const path of paths) {
      const repository = await this.#repositoryOf(dirname(path));
      if (repository) ofRepository.set(repository, [...(ofRepository.get(repository) ?? []), path]);
    }
    const writers = new Map<string, string>();
    for (const [repository, inside] of ofRepository) {
      if (!(await workedSince(repository, sinceMs))) continue;
      const roots = this.roots();
      const others = (await this.#isOpened(repository))
        ? await changedByOthers(repository, inside, roots)
        : await unlikeHead((...args) => gitIn(repository.top, args, roots), repository.top, inside);
      const writer = gitWriter(await latestWork(repository, sinceMs));
      if (others) for (const path of inside) if (!others.has(path)) writers.set(path, writer);
    }
    return writers;
  }

  /** Returns whether the repository's work tree contains a window folder, which means that the user chose to open the repository. */
  async #isOpened({ top }: Repository): Promise<boolean> {
    const real = await realpath(top);
    const roots = await Promise.all(this.roots().map((root) => realpath(root).catch(() => root)));
    return roots.some((root) => isInside(root, real));
  }

  /** Returns whether git is currently changing files at one of these paths. */
  async isAtWork(paths: readonly string[]): Promise<boolean> {
    const repositories = new Set(await Promise.all(paths.map((path) => this.#repositoryOf(path))));
    for (const repository of repositories)
      if (repository && (await timeOf(join(repository.data, "index.lock"))) !== undefined) return true;
    return false;
  }

  /** Returns the repository of a folder. Caches only repositories that were found, because a folder can become a repository at any time. */
  async #repositoryOf(folder: string): Promise<Repository | undefined> {
    let found = this.#repositories.get(folder);
    if (!found) {
      found = this.#find(folder);
      this.#repositories.set(folder, found);
    }
    const repository = await found;
    if (!repository) this.#repositories.delete(folder);
    return repository;
  }

  async #find(folder: string): Promise<Repository | undefined> {
    const data = await dataOf(folder);
    if (data !== undefined) return { top: folder, data };
    return dirname(folder) === folder ? undefined : this.#repositoryOf(dirname(folder));
  }
}

async function dataOf(folder: string): Promise<string | undefined> {
  const git = join(folder, ".git");
  const stats = await stat(git).catch(() => undefined);
  if (stats?.isDirectory() === true) return git;
  if (stats?.isFile() !== true) return undefined;
  const target = /^gitdir: (.*)/.exec(await loadUntrustedText(git, 4096).catch(() => ""))?.[1];
  return target === undefined ? undefined : resolve(folder, target.trim());
}

async function timeOf(file: string): Promise<number | undefined> {
  return (await stat(file).catch(() => undefined))?.mtimeMs;
}

async function workedSince({ data }: Repository, sinceMs: number): Promise<boolean> {
  const times = await Promise.all(traces.map((trace) => timeOf(join(data, trace))));
  return times.some((time) => time !== undefined && time >= sinceMs - slackMs);
}

/** Returns the latest file-changing operation in the reflog since `sinceMs`, or an empty string. */
async function latestWork({ data }: Repository, sinceMs: number): Promise<string> {
  const entries = (await endOf(join(data, "logs", "HEAD"))).split("\n").flatMap((line) => {
    const [, seconds, words = ""] = /> (\d+) [+-]\d{4}\t(.*)$/.exec(line) ?? [];
    const work = kindsOfWork.exec(words)?.[1];
    // Round down, because reflog times are whole seconds.
    return work !== undefined && Number(seconds) >= Math.floor((sinceMs - slackMs) / 1_000) ? [work] : [];
  });
  return entries.at(-1) ?? "";
}

async function endOf(file: string): Promise<string> {
  const handle = await openUntrusted(file, { maxBytes: Infinity, links: "follow" }).catch(() => undefined);
  if (!handle) return "";
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.min(size, maxReflogBytes));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Returns the paths whose content differs from what git wrote; undefined if git fails. */
async function changedByOthers(
  { top }: Repository,
  paths: readonly string[],
  roots: readonly string[],
): Promise<ReadonlySet<string> | undefined> {
  const named =
    paths.length > maxNamed ? [] : paths.map((path) => `:(literal)${relative(top, path).split(sep).join("/")}`);
  const words = ["status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--ignored=matching"];
  const listed = await gitIn(top, [...words, "--ignore-submodules=all", "--", ...named], roots);
  if (listed === undefined) return undefined;
  const others = new Set<string>();
  for (const entry of listed.split("\0")) {
    if (entry === "" || unmerged.has(entry.slice(0, 2))) continue;
    others.add(join(top, entry.slice(3)));
  }
  // git lists an untracked folder as one entry, so add the paths inside it.
  const folders = [...others].filter((other) => other.endsWith(sep));
  for (const path of paths) if (folders.some((folder) => path.startsWith(folder))) others.add(path);
  return others;
}

async function gitIn(cwd: string, args: readonly string[], roots: readonly string[]): Promise<string | undefined> {
  const answer = await askGit(cwd, args, { roots, maxBytes: 64 * 1024 * 1024 });
  return answer?.code === 0 ? answer.stdout : undefined;
}
