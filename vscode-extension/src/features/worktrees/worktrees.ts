import * as l10n from "@vscode/l10n";
import { accessSync, constants } from "node:fs";
import { lstat, mkdir, rmdir } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import {
  atomicWrite,
  isInside,
  isThere,
  loadUntrustedText,
  safeDiffOptions,
  worktreePart,
} from "@symposium-dev/core/node";
import type { ComparedFile } from "./compared-result.js";
import { carryOver, commitAside } from "./carried-changes.js";
import { failure, type ListedWorktree, listWorktrees, type Repository } from "./repository.js";
import { GitRefusal, type UserGit } from "./user-git.js";
import { changedSince, type ChangedPath, treeOf } from "./worktree-changes.js";
import { branchPrefix, freeName, worktreeName } from "./worktree-names.js";

export interface Worktree {
  readonly name: string;
  /** Absolute path of the worktree's top folder. */
  readonly root: string;
  readonly branch: string;
}

interface MadeWorktree extends Worktree {
  readonly notes: readonly string[];
}

export interface FoundWorktree extends Worktree {
  readonly isMissing: boolean;
}

interface WorktreeWish {
  readonly words: string;
  readonly isCarried: boolean;
}

/** Refs that belong to the worktree and are deleted with it: the base of its first comparison, and the commit at which it started. */
const startRef = "refs/worktree/symposium/start";
const begunRef = "refs/worktree/symposium/begun";
/** Ref with the files as the set-up command left them. Missing if no command ran. */
const setUpRef = "refs/worktree/symposium/set-up";
/** Name of a file that identifies the worktree's folder, so that a replacement folder isn't trusted. */
const identityName = "symposium-folder";
const maxTries = 5;

/** Git worktrees for tabs. They are created next to the repository, so that tools in the workspace don't see them. */
export class Worktrees {
  constructor(
    private readonly git: UserGit,
    private readonly open: () => readonly string[],
    /** Folder for worktrees if the repository's parent can't be used. */
    private readonly fallback: string,
  ) {}

  /** Creates a worktree. On failure, rejects with Git's message and removes everything it created. */
  async make(repository: Repository, { words, isCarried }: WorktreeWish): Promise<MadeWorktree> {
    const { top } = repository;
    const all = await listWorktrees(this.git, top);
    const place = this.#placeOf(all[0]?.root ?? top);
    const branches = await this.git.run(top, ["for-each-ref", "--format=%(refname)", `refs/heads/${branchPrefix}`]);
    const taken = new Set(branches.split(/\r?\n/));
    await mkdir(place, { recursive: true, mode: 0o700 });
    const name = await this.#takeName(place, worktreeName(words), (one) =>
      taken.has(`refs/heads/${branchPrefix}${one}`),
    );
    const made = { name, root: join(place, name), branch: `${branchPrefix}${name}` };
    try {
      await this.git.run(top, ["worktree", "add", "--no-track", "-b", made.branch, made.root, repository.head]);
      const left = isCarried ? await carryOver(this.git, top, made.root) : [];
      const start = isCarried ? await commitAside(this.git, made.root) : repository.head;
      await this.git.run(made.root, ["update-ref", startRef, start]);
      await this.git.run(made.root, ["update-ref", begunRef, repository.head]);
      await atomicWrite(await this.#identityFile(made.root), await identityOf(made.root));
      return { ...made, notes: await notesOf(made.root, left) };
    } catch (error) {
      await this.#discard(top, made);
      await rmdir(place).catch(() => undefined);
      if (!(error instanceof GitRefusal)) throw error;
      throw failure(
        l10n.t("Couldn't create a worktree in {0}: {1}", made.root, error.message),
        remedyOf(error.message),
      );
    }
  }

  /** Lists the worktrees that were created for tabs of this repository, including tabs of other windows. */
  async list(folder: string): Promise<readonly FoundWorktree[]> {
    const [main, ...others] = await listWorktrees(this.git, folder);
    if (!main) return [];
    const found = await Promise.all(others.map(async (one) => ((await this.#isOurs(one)) ? [one] : [])));
    return found.flat().map(({ root, branch = "", isMissing }) => ({ name: basename(root), root, branch, isMissing }));
  }

  /**
   * Returns the folders of a worktree that correspond to the user's trusted folders `trusted`. The worktree must belong to the repository
   * of these folders, and its folder must still be the one created for a tab. Returns no folders if Git may not run.
   */
  async trustedParts({ root }: Pick<Worktree, "root">, trusted: readonly string[]): Promise<readonly string[]> {
    const parts = (await Promise.all(trusted.map(async (one) => (await worktreePart(root, one)) ?? []))).flat();
    if (parts.length === 0) return [];
    const known = await this.#identityFile(root).then(read, () => "");
    return known !== "" && known === (await identityOf(root)) ? parts : [];
  }

  /** Records the files after the set-up command, whose changes aren't the agent's and aren't merged. */
  async setUp({ root }: Pick<Worktree, "root">): Promise<void> {
    await this.git.run(root, ["update-ref", setUpRef, await commitAside(this.git, root)]);
  }

  /** Returns the commit to compare the worktree with when merging into `top`. */
  async baseOf(top: string, { root }: Pick<Worktree, "root">): Promise<string> {
    const commitOf = (ref: string): Promise<string | undefined> =>
      this.git.ask(root, ["rev-parse", "--verify", "--quiet", ref]);
    const [begun, start, ours] = await Promise.all([
      commitOf(begunRef),
      commitOf(setUpRef).then((commit) => commit ?? commitOf(startRef)),
      this.git.run(top, ["rev-parse", "HEAD"]),
    ]);
    const common = await this.git.ask(root, ["merge-base", "HEAD", ours.trim()]);
    if (start !== undefined && (common === undefined || common === begun)) return start;
    if (common !== undefined) return common;
    throw failure(l10n.t("{0} and {1} have no common commit.", root, top), l10n.t("Merge with Git."));
  }

  /** Returns the changes since {@link baseOf}, committed or not. */
  async changes(top: string, worktree: Pick<Worktree, "root">): Promise<readonly ChangedPath[]> {
    return changedSince(this.git, worktree.root, await this.baseOf(top, worktree));
  }

  /** Returns the lines added and removed since {@link baseOf}, by file; binary files have no counts. */
  async counts(top: string, worktree: Pick<Worktree, "root">): Promise<readonly ComparedFile[]> {
    const [base, tree] = [await this.baseOf(top, worktree), await treeOf(this.git, worktree.root)];
    const words = ["diff-tree", "-r", "--numstat", "-z", "--no-renames", ...safeDiffOptions, base, tree];
    const lines = (await this.git.run(worktree.root, words)).split("\0").filter((line) => line !== "");
    return lines.map((line) => {
      const [added = "", removed = "", path = ""] = line.split("\t");
      return added === "-" ? { path } : { path, added: Number(added), removed: Number(removed) };
    });
  }

  /** Returns the number of commits that are in no other branch, tag or remote. */
  async ownCommits(folder: string, branch: string): Promise<number> {
    if (!(await this.#hasBranch(folder, branch))) return 0;
    const others = [`--exclude=${branch}`, "--branches", "--tags", "--remotes"];
    const count = await this.git.run(folder, [
      "rev-list",
      "--count",
      `refs/heads/${branch}`,
      "--not",
      ...others,
      "HEAD",
    ]);
    return Number(count);
  }

  /**
   * Returns files that were copied into the worktree at its start and may exist nowhere else. Paths are relative to the worktree's top
   * folder, with slashes.
   */
  async carried({ root }: Pick<Worktree, "root">): Promise<readonly string[]> {
    const words = ["diff-tree", "-r", "--name-only", "-z", "--no-renames", "--diff-filter=d", begunRef, startRef];
    const listed = (await this.git.ask(root, words)) ?? "";
    return listed.split("\0").filter((path) => path !== "");
  }

  /** Returns ignored paths. An entirely ignored folder is one entry that ends with a slash. */
  async ignored({ root }: Pick<Worktree, "root">): Promise<readonly string[]> {
    const words = ["status", "--porcelain=v1", "-z", "--no-renames", "--ignored=matching", "--untracked-files=normal"];
    // Don't let Git look into submodules, whose configuration can name programs.
    const entries = (await this.git.run(root, [...words, "--ignore-submodules=all"])).split("\0");
    return entries.filter((entry) => entry.startsWith("!! ")).map((entry) => entry.slice(3));
  }

  /**
   * Removes a worktree with all its files; callers must have asked the user. Rejects if removal fails, for example because a program uses
   * the folder.
   */
  async remove(top: string, worktree: Worktree, isBranchDeleted: boolean): Promise<void> {
    try {
      // The second `--force` removes even a locked worktree.
      await this.git.run(top, ["worktree", "remove", "--force", "--force", worktree.root]);
    } catch (error) {
      if (!(error instanceof GitRefusal)) throw error;
      if (await isThere(worktree.root))
        throw failure(
          l10n.t("Couldn't remove {0}: {1}", worktree.root, error.message),
          l10n.t("Stop the programs that use it, then try again."),
        );
    }
    await this.git.run(top, ["worktree", "prune"]);
    if (isBranchDeleted && (await this.#hasBranch(top, worktree.branch)))
      await this.git.run(top, ["branch", "-D", "--", worktree.branch]);
    await rmdir(dirname(worktree.root)).catch(() => undefined);
  }

  /** Returns a file in Git's data about the worktree, which is deleted with the worktree. */
  async #identityFile(root: string): Promise<string> {
    return join((await this.git.run(root, ["rev-parse", "--absolute-git-dir"])).trimEnd(), identityName);
  }

  async #hasBranch(folder: string, branch: string): Promise<boolean> {
    const words = ["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`];
    return branch !== "" && (await this.git.ask(folder, words)) !== undefined;
  }

  async #isOurs({ root, branch, isMissing }: ListedWorktree): Promise<boolean> {
    if (isMissing) return branch?.startsWith(branchPrefix) === true;
    return (
      (await this.git.ask(root, ["rev-parse", "--verify", "--quiet", startRef]).catch(() => undefined)) !== undefined
    );
  }

  #placeOf(main: string): string {
    const name = basename(main);
    const beside = dirname(main);
    const isFree =
      beside !== main && !this.open().some((folder) => isInside(join(beside, `${name}.worktrees`), folder));
    return isFree && isWritable(beside) ? join(beside, `${name}.worktrees`) : join(this.fallback, folderName(main));
  }

  /** Reserves a free name by creating its folder, so that no other window takes the name. */
  async #takeName(place: string, name: string, isTaken: (name: string) => boolean): Promise<string> {
    const there = new Set<string>();
    for (;;) {
      const free = freeName(name, (one) => there.has(one) || isTaken(one));
      try {
        await mkdir(join(place, free), { mode: 0o700 });
        return free;
      } catch (thrown) {
        if (!(thrown instanceof Error && "code" in thrown && thrown.code === "EEXIST")) throw thrown;
        there.add(free);
      }
    }
  }

  async #discard(top: string, { root, branch }: Worktree): Promise<void> {
    await this.git.ask(top, ["worktree", "remove", "--force", root]).catch(() => undefined);
    // If Git failed early, the folder is still empty.
    await rmdir(root).catch(() => undefined);
    await this.git.ask(top, ["worktree", "prune"]).catch(() => undefined);
    // Git can fail, even at deleting a branch, while another process creates a worktree, so retry.
    for (let tries = 0; tries < maxTries && (await this.#hasBranch(top, branch).catch(() => false)); tries++)
      await this.git.ask(top, ["branch", "-D", "--", branch]).catch(() => undefined);
  }
}

/** Identifies a folder. The system may reuse an inode number, but not with the same creation time. */
async function identityOf(folder: string): Promise<string> {
  const { ino, birthtimeNs } = await lstat(folder, { bigint: true });
  return `${ino} ${birthtimeNs}\n`;
}

async function notesOf(root: string, left: readonly string[]): Promise<readonly string[]> {
  const [modules, attributes] = await Promise.all([
    read(join(root, ".gitmodules")),
    read(join(root, ".gitattributes")),
  ]);
  return [
    ...(left.length === 0 ? [] : [l10n.t("Not copied because they are nested repositories: {0}.", left.join(", "))]),
    ...(modules === ""
      ? []
      : [
          l10n.t(
            "Its submodules are empty until you run `git submodule update --init` there; the setup command can do this.",
          ),
        ]),
    ...(/\bfilter=lfs\b/.test(attributes)
      ? [
          l10n.t(
            "Large files that Git LFS hasn't stored on this machine are pointers until you run `git lfs pull` there.",
          ),
        ]
      : []),
  ];
}

function remedyOf(said: string): string {
  if (/git-lfs|filter-process|smudge/i.test(said))
    return l10n.t("A filter in this repository failed. Install the program that it runs, such as Git LFS.");
  if (/promisor|lazy|partial/i.test(said))
    return l10n.t("This is a partial clone. Fetch the missing objects with `git fetch`, then try again.");
  return l10n.t("Git's message explains what to do.");
}

/** Returns a readable folder name that is unique per repository. */
function folderName(main: string): string {
  let hash = 0;
  for (const char of main) hash = (Math.imul(hash, 31) + (char.codePointAt(0) ?? 0)) >>> 0;
  return `${basename(main)}-${hash.toString(36)}`.split(sep).join("-");
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function read(file: string): Promise<string> {
  return loadUntrustedText(file).catch(() => "");
}
