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

/** A worktree that was made for a tab. */
export interface Worktree {
  readonly name: string;
  /** Its topmost folder. Absolute. */
  readonly root: string;
  readonly branch: string;
}

interface MadeWorktree extends Worktree {
  /** What of it the user should know before the agent begins. */
  readonly notes: readonly string[];
}

/** One that there is, or that somebody has removed outside VS Code. */
export interface FoundWorktree extends Worktree {
  readonly isMissing: boolean;
}

interface WorktreeWish {
  /** A prompt or a title. */
  readonly words: string;
  /** What is not committed is copied. */
  readonly isCarried: boolean;
}

/** Refs of the worktree alone, which go with it: what it was compared with at first, and the commit that it began from. */
const startRef = "refs/worktree/symposium/start";
const begunRef = "refs/worktree/symposium/begun";
/** The files after the set-up command, if one ran. */
const setUpRef = "refs/worktree/symposium/set-up";
/** Says which folder it was: another one that takes its place is not trusted for it. */
const identityName = "symposium-folder";
const maxTries = 5;

/** Git worktrees that tabs work in: beside the repository, so that what looks at the workspace does not see them. */
export class Worktrees {
  constructor(
    private readonly git: UserGit,
    /** Folders that are open in the window: worktrees lie in none of them. */
    private readonly open: () => readonly string[],
    /** A folder of ours, for where there is no place beside the repository. */
    private readonly fallback: string,
  ) {}

  /** Rejects with what Git says, and leaves nothing behind. */
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
      throw failure(`No worktree could be made in ${made.root}: ${error.message}`, remedyOf(error.message));
    }
  }

  /** Those that were made for tabs of this repository, also by other windows. */
  async list(folder: string): Promise<readonly FoundWorktree[]> {
    const [main, ...others] = await listWorktrees(this.git, folder);
    if (!main) return [];
    const found = await Promise.all(others.map(async (one) => ((await this.#isOurs(one)) ? [one] : [])));
    return found.flat().map(({ root, branch = "", isMissing }) => ({ name: basename(root), root, branch, isMissing }));
  }

  /**
   * What of a worktree is as trusted as `trusted`, folders that the user trusts: the same folders in it, where it is of their
   * repository, and still the folder that was made for a tab. None while Git may not be started.
   */
  async trustedParts({ root }: Pick<Worktree, "root">, trusted: readonly string[]): Promise<readonly string[]> {
    const parts = (await Promise.all(trusted.map(async (one) => (await worktreePart(root, one)) ?? []))).flat();
    if (parts.length === 0) return [];
    const known = await this.#identityFile(root).then(read, () => "");
    return known !== "" && known === (await identityOf(root)) ? parts : [];
  }

  /** Notes that the set-up command has run: its changes are not the agent's, and are not merged. */
  async setUp({ root }: Pick<Worktree, "root">): Promise<void> {
    await this.git.run(root, ["update-ref", setUpRef, await commitAside(this.git, root)]);
  }

  /** The commit that a worktree's changes are told from, seen from the tree that they would go to. */
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
    throw failure(`${root} and ${top} have no commit in common.`, "Merge by Git itself.");
  }

  /** What is otherwise in it since {@link baseOf}, committed or not. */
  async changes(top: string, worktree: Pick<Worktree, "root">): Promise<readonly ChangedPath[]> {
    return changedSince(this.git, worktree.root, await this.baseOf(top, worktree));
  }

  /** The lines that it adds and removes since {@link baseOf}, by file; without numbers where a file is no text. */
  async counts(top: string, worktree: Pick<Worktree, "root">): Promise<readonly ComparedFile[]> {
    const [base, tree] = [await this.baseOf(top, worktree), await treeOf(this.git, worktree.root)];
    const words = ["diff-tree", "-r", "--numstat", "-z", "--no-renames", ...safeDiffOptions, base, tree];
    const lines = (await this.git.run(worktree.root, words)).split("\0").filter((line) => line !== "");
    return lines.map((line) => {
      const [added = "", removed = "", path = ""] = line.split("\t");
      return added === "-" ? { path } : { path, added: Number(added), removed: Number(removed) };
    });
  }

  /** How many commits of it are in no other branch, tag or remote. */
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

  /** Files that were copied into it when it began and may be nowhere else by now. Relative to its top, with slashes. */
  async carried({ root }: Pick<Worktree, "root">): Promise<readonly string[]> {
    const words = ["diff-tree", "-r", "--name-only", "-z", "--no-renames", "--diff-filter=d", begunRef, startRef];
    const listed = (await this.git.ask(root, words)) ?? "";
    return listed.split("\0").filter((path) => path !== "");
  }

  /** What is in it that Git ignores, each whole folder as one with a slash at its end. */
  async ignored({ root }: Pick<Worktree, "root">): Promise<readonly string[]> {
    const words = ["status", "--porcelain=v1", "-z", "--no-renames", "--ignored=matching", "--untracked-files=normal"];
    // Git would go on in submodules, whose own configuration names programs.
    const entries = (await this.git.run(root, [...words, "--ignore-submodules=all"])).split("\0");
    return entries.filter((entry) => entry.startsWith("!! ")).map((entry) => entry.slice(3));
  }

  /** With all that is in it: whoever calls has asked. Rejects where it could not be removed, as while a program is at work in it. */
  async remove(top: string, worktree: Worktree, isBranchDeleted: boolean): Promise<void> {
    try {
      // Twice: a locked one goes, too.
      await this.git.run(top, ["worktree", "remove", "--force", "--force", worktree.root]);
    } catch (error) {
      if (!(error instanceof GitRefusal)) throw error;
      if (await isThere(worktree.root))
        throw failure(
          `${worktree.root} could not be removed: ${error.message}`,
          "End the programs that work in it, then try again.",
        );
    }
    await this.git.run(top, ["worktree", "prune"]);
    if (isBranchDeleted && (await this.#hasBranch(top, worktree.branch)))
      await this.git.run(top, ["branch", "-D", "--", worktree.branch]);
    await rmdir(dirname(worktree.root)).catch(() => undefined);
  }

  /** Among Git's own data about a worktree, which goes with it. */
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

  /** A name whose folder is made, so that no other window takes it, too. */
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
    // What Git has not taken yet is empty.
    await rmdir(root).catch(() => undefined);
    await this.git.ask(top, ["worktree", "prune"]).catch(() => undefined);
    // Git stumbles over a worktree that it is making for somebody else at this moment, also where it only deletes a branch.
    for (let tries = 0; tries < maxTries && (await this.#hasBranch(top, branch).catch(() => false)); tries++)
      await this.git.ask(top, ["branch", "-D", "--", branch]).catch(() => undefined);
  }
}

/** What no other folder has: a system may use a number again, but not at the same time. */
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
    ...(left.length === 0 ? [] : [`Not carried over, since they are repositories of their own: ${left.join(", ")}.`]),
    ...(modules === ""
      ? []
      : ["Its submodules are empty until `git submodule update --init` has run there; the set-up command can do it."]),
    ...(/\bfilter=lfs\b/.test(attributes)
      ? ["Large files that Git LFS has not on this machine are pointers until `git lfs pull` has run there."]
      : []),
  ];
}

function remedyOf(said: string): string {
  if (/git-lfs|filter-process|smudge/i.test(said))
    return "A filter of this repository failed: install what it starts, such as Git LFS.";
  if (/promisor|lazy|partial/i.test(said))
    return "This is a partial clone: fetch what it lacks with `git fetch`, then try again.";
  return "Git's own message says what it needs.";
}

/** Unlike for every repository, readable for people. */
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
