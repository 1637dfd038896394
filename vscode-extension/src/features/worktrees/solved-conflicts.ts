import { loadUntrustedBytes, safeDiffOptions, systemCode } from "@symposium-dev/core/node";
import type { FileText } from "../review/hunks/file-review.js";
import { decodedText, parseOpaque } from "../review/hunks/opaque-text.js";
import { type OpenConflict, taken } from "./conflict-place.js";
import type { UserGit } from "./user-git.js";

export interface TreeState {
  /** Absolute path of the tree's top folder. */
  readonly top: string;
  /** Full name of the checked-out branch, such as `refs/heads/main`. */
  readonly branch: string;
  readonly commit: string;
}

interface FoundConflict extends OpenConflict {
  readonly foundAt?: TreeState | undefined;
}

/** Returns the tree's branch and commit; undefined for a detached HEAD, or if Git fails. */
export async function treeState(git: UserGit, top: string): Promise<TreeState | undefined> {
  const ask = (...words: readonly string[]): Promise<string | undefined> => git.ask(top, words).catch(() => undefined);
  const branch = await ask("symbolic-ref", "--quiet", "HEAD");
  const commit = await ask("rev-parse", "--verify", "--quiet", "HEAD");
  return branch === undefined || commit === undefined ? undefined : { top, branch, commit };
}

/** Returns whether the file on disk still has the conflict; true if unknown. */
export async function isStanding(conflict: OpenConflict): Promise<boolean> {
  if ([conflict.ours, conflict.theirs].some((text) => text !== null && parseOpaque(text))) return true;
  const text = await textOf(conflict.path);
  return text === undefined || taken(conflict, text) !== undefined;
}

/**
 * Returns whether the user has certainly resolved a conflict by hand: a later commit on the same branch changed the file, and the file
 * matches that commit. Without these checks, another branch or a stash could look like a resolution.
 */
export async function isSolved(git: UserGit, conflict: FoundConflict): Promise<boolean> {
  const { foundAt, path } = conflict;
  if (!foundAt || (await isStanding(conflict))) return false;
  const { top, branch, commit } = foundAt;
  const now = await treeState(git, top);
  if (now?.branch !== branch || now.commit === commit) return false;
  const ask = (...words: readonly string[]): Promise<string | undefined> => git.ask(top, words).catch(() => undefined);
  if ((await ask("merge-base", "--is-ancestor", commit, now.commit)) === undefined) return false;
  const compare = ["--literal-pathspecs", "diff-tree", "-r", "--name-only", "--no-renames", ...safeDiffOptions];
  const changed = await ask(...compare, commit, now.commit, "--", path);
  const status = ["--literal-pathspecs", "status", "--porcelain=v1", "--no-renames", "--ignore-submodules=all"];
  return changed !== undefined && changed !== "" && (await ask(...status, "--", path)) === "";
}

/** Returns a file's text; null for a missing file, undefined for an unreadable or binary file. */
async function textOf(path: string): Promise<FileText | undefined> {
  try {
    return decodedText(await loadUntrustedBytes(path));
  } catch (error) {
    return systemCode(error) === "ENOENT" ? null : undefined;
  }
}
