import { loadUntrustedBytes, safeDiffOptions, systemCode } from "@symposium-dev/core/node";
import type { FileText } from "../review/hunks/file-review.js";
import { decodedText, parseOpaque } from "../review/hunks/opaque-text.js";
import { type OpenConflict, taken } from "./conflict-place.js";
import type { UserGit } from "./user-git.js";

/** What was checked out in a tree. */
export interface TreeState {
  /** Its topmost folder. Absolute. */
  readonly top: string;
  /** In full, as `refs/heads/main`. */
  readonly branch: string;
  readonly commit: string;
}

interface FoundConflict extends OpenConflict {
  readonly foundAt?: TreeState | undefined;
}

/** Undefined where no branch is checked out, and where Git cannot say. */
export async function treeState(git: UserGit, top: string): Promise<TreeState | undefined> {
  const ask = (...words: readonly string[]): Promise<string | undefined> => git.ask(top, words).catch(() => undefined);
  const branch = await ask("symbolic-ref", "--quiet", "HEAD");
  const commit = await ask("rev-parse", "--verify", "--quiet", "HEAD");
  return branch === undefined || commit === undefined ? undefined : { top, branch, commit };
}

/** Whether its file has on disk what can still be answered; true where that cannot be told. */
export async function isStanding(conflict: OpenConflict): Promise<boolean> {
  if ([conflict.ours, conflict.theirs].some((text) => text !== null && parseOpaque(text))) return true;
  const text = await textOf(conflict.path);
  return text === undefined || taken(conflict, text) !== undefined;
}

/**
 * Whether the user has answered a conflict by hand, and that is certain: other lines are in its place, in a commit of the
 * branch on which it was found, and the file is as in that commit. What merely looks so may be the file of another branch, or one
 * that is put aside for a while.
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

/** Null where there is no such file; undefined where it cannot be read, or is no text. */
async function textOf(path: string): Promise<FileText | undefined> {
  try {
    return decodedText(await loadUntrustedBytes(path));
  } catch (error) {
    return systemCode(error) === "ENOENT" ? null : undefined;
  }
}
