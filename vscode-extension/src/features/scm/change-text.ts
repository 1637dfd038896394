import { fencedCode } from "../context/content-blocks.js";
import { boundedDiff } from "./bounded-diff.js";
import type { GitRepository } from "./git-repositories.js";

const untrackedStatus = 7;

/** Changes of a repository to commit: the staged changes, or all changes if nothing is staged. */
export interface RepositoryChange {
  readonly isStaged: boolean;
  readonly diff: string;
  readonly untracked: readonly string[];
}

export async function changeOf(repository: GitRepository): Promise<RepositoryChange | undefined> {
  const staged = await repository.diff(true);
  if (staged.trim() !== "") return { isStaged: true, diff: boundedDiff(staged), untracked: [] };
  const diff = boundedDiff(await repository.diff(false));
  const untracked = untrackedFiles(repository);
  return diff === "" && untracked.length === 0 ? undefined : { isStaged: false, diff, untracked };
}

export function changeText({ isStaged, diff, untracked }: RepositoryChange): string {
  const parts = [isStaged ? "The staged changes:" : "All changes; nothing is staged:"];
  if (diff !== "") parts.push(fencedCode(diff, "diff"));
  if (untracked.length > 0) parts.push(`New files, which are in no diff: ${untracked.join(", ")}`);
  return parts.join("\n\n");
}

function untrackedFiles({ rootUri, state }: GitRepository): readonly string[] {
  return [...state.workingTreeChanges, ...(state.untrackedChanges ?? [])]
    .filter(({ status }) => status === untrackedStatus)
    .map(({ uri }) => uri.path.slice(rootUri.path.length).replace(/^\//, ""));
}
