import { askGit } from "@symposium-dev/core/node";

/** What only git can say of a folder. */
export interface GitFacts {
  /** The user's own file of ignored patterns; undefined for the usual one. */
  readonly excludesFile?: string;
  /** Files that are tracked though a pattern ignores them. Relative to the folder, with slashes. */
  readonly more: readonly string[];
}

/** Asks the user's git, which changes nothing and starts nothing. Where there is none, or no repository, there is nothing to say. */
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
