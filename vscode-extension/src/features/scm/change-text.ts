import { fencedCode } from "../context/content-blocks.js";
import { boundedDiff } from "./bounded-diff.js";
import type { GitRepository } from "./git-repositories.js";

/** The Git extension's number for a file that is in no commit and not staged. */
const untrackedStatus = 7;

/** What of a repository is to be committed: what is staged, or everything where nothing is. */
export interface RepositoryChange {
  readonly isStaged: boolean;
  readonly diff: string;
  /** Files that are in no diff; their contents are not told. Relative to the repository. */
  readonly untracked: readonly string[];
}

/** Undefined where nothing has changed. */
export async function changeOf(repository: GitRepository): Promise<RepositoryChange | undefined> {
  const staged = await repository.diff(true);
  if (staged.trim() !== "") return { isStaged: true, diff: boundedDiff(staged), untracked: [] };
  const diff = boundedDiff(await repository.diff(false));
  const untracked = untrackedFiles(repository);
  return diff === "" && untracked.length === 0 ? undefined : { isStaged: false, diff, untracked };
}

/** The change for an agent: its diff as a code block, and the names of new files. */
export function changeText({ isStaged, diff, untracked }: RepositoryChange): string {
  const parts = [isStaged ? "The staged changes:" : "All changes; nothing is staged:"];
  if (diff !== "") parts.push(fencedCode(diff, "diff"));
  if (untracked.length > 0) parts.push(`New files, which are in no diff: ${untracked.join(", ")}`);
  return parts.join("\n\n");
}

/** Files that are in no diff, relative to the repository. */
function untrackedFiles({ rootUri, state }: GitRepository): readonly string[] {
  return [...state.workingTreeChanges, ...(state.untrackedChanges ?? [])]
    .filter(({ status }) => status === untrackedStatus)
    .map(({ uri }) => uri.path.slice(rootUri.path.length).replace(/^\//, ""));
}
