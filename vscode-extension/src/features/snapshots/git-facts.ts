import { askGit } from "@symposium-dev/core/node";

export interface GitFacts {
  /** The user's global excludes file; undefined for git's default. */
  readonly excludesFile?: string;
  /** Tracked files that an ignore pattern matches. Paths are relative to the folder, with slashes. */
  readonly more: readonly string[];
}

/**
 * Queries the user's git with commands that modify nothing and start no other program. Returns no data if there is no git or no repository.
 */
export async function gitFacts(folder: string): Promise<GitFacts> {
  const [excludesFile, tracked] = await Promise.all([
    git(folder, ["config", "--type=path", "--get", "core.excludesFile"]),
    git(folder, ["ls-files", "--cached", "--ignored", "--exclude-standard", "-z"]),
  ]);
  const file = excludesFile?.replace(/\r?\n$/, "") ?? "";
  return {
    ...(file !== "" && { excludesFile: file }),
    more: (tracked ?? "").split("\0").filter((path) => path !== ""),
  };
}

async function git(folder: string, args: readonly string[]): Promise<string | undefined> {
  const answer = await askGit(folder, args);
  return answer?.code === 0 ? answer.stdout : undefined;
}
