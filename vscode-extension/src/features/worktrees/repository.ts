import * as l10n from "@vscode/l10n";
import { resolve } from "node:path";
import { SymposiumError } from "@symposium-dev/core";
import { GitRefusal, type UserGit } from "./user-git.js";

export interface Repository {
  /** Absolute path of the repository's top folder, spelled as in the window. */
  readonly top: string;
  /** Path from the repository's top folder to the window's folder: empty, or with slashes between the parts and at the end. */
  readonly prefix: string;
  readonly head: string;
}

export interface ListedWorktree {
  /** Absolute path of the worktree. */
  readonly root: string;
  /** Branch without `refs/heads/`; undefined for a detached HEAD. */
  readonly branch: string | undefined;
  /** True if the worktree's folder was deleted. */
  readonly isMissing: boolean;
}

/** Returns a folder's repository. Rejects with an error that suggests a fix if the folder isn't in a repository that supports worktrees. */
export async function repositoryOf(git: UserGit, folder: string): Promise<Repository> {
  let prefix: string;
  try {
    prefix = (await git.run(folder, ["rev-parse", "--show-prefix"])).replace(/\r?\n$/, "");
  } catch (error) {
    if (error instanceof GitRefusal) throw noRepository(folder, error.message);
    throw error;
  }
  if ((await git.ask(folder, ["rev-parse", "--is-inside-work-tree"])) !== "true")
    throw failure(
      l10n.t("{0} belongs to Git's own data or to a bare repository.", folder),
      l10n.t("Open a folder with the project's files."),
    );
  const head = await git.ask(folder, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  if (head === undefined)
    throw failure(
      l10n.t("The repository of {0} has no commits yet.", folder),
      l10n.t("Make a first commit. A worktree starts from a commit."),
    );
  const up = prefix.split("/").filter((name) => name !== "");
  return { top: resolve(folder, ...up.map(() => "..")), prefix, head };
}

function noRepository(folder: string, said: string): SymposiumError {
  if (/not a git repository/i.test(said))
    return failure(
      l10n.t("{0} isn't in a Git repository.", folder),
      l10n.t("Run `git init` and make a first commit, or let the agent work in the folder itself."),
    );
  return failure(l10n.t("Git refuses to work in {0}: {1}", folder, said), l10n.t("Git's message explains what to do."));
}

export function failure(message: string, hint: string): SymposiumError {
  return new SymposiumError("invalid-arguments", message, hint);
}

/** Lists all worktrees, the main one first. */
export async function listWorktrees(git: UserGit, folder: string): Promise<readonly ListedWorktree[]> {
  const text = await git.run(folder, ["worktree", "list", "--porcelain"]);
  return text
    .split(/\r?\n\r?\n/)
    .filter((block) => block.startsWith("worktree "))
    .map((block) => {
      const lines = block.split(/\r?\n/);
      const value = (name: string): string | undefined =>
        lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1);
      return {
        root: resolve(value("worktree") ?? ""),
        branch: value("branch")?.replace(/^refs\/heads\//, ""),
        isMissing: lines.some((line) => line.startsWith("prunable")),
      };
    });
}
