import { execFile } from "node:child_process";
import { safeDiffOptions, safeGitEnvironment, safeGitOptions } from "@symposium-dev/core/node";

const diffWords = ["diff", ...safeDiffOptions];
const maxChars = 200_000;

/** What has changed in `folder` since the last commit, with the names of new files; undefined outside Git. */
export async function gitDiff(folder: string): Promise<string | undefined> {
  const diff = (await git(folder, [...diffWords, "HEAD"])) ?? (await git(folder, [...diffWords, "--cached"]));
  if (diff === undefined) return undefined;
  const untracked = (await git(folder, ["ls-files", "--others", "--exclude-standard"])) ?? "";
  const text = untracked === "" ? diff : `${diff}\nNew files that Git does not track yet:\n${untracked}`;
  return text.length > maxChars
    ? `${text.slice(0, maxChars)}\n[The rest is left out: the changes are too long.]`
    : text;
}

function git(folder: string, args: readonly string[]): Promise<string | undefined> {
  const limits = { maxBuffer: 64 * 1024 * 1024, timeout: 20_000 };
  const options = { cwd: folder, ...limits, windowsHide: true, env: safeGitEnvironment() };
  return new Promise((resolve) => {
    const words = [...safeGitOptions, "-c", "core.quotepath=off", ...args];
    execFile("git", words, options, (error, stdout) => resolve(error ? undefined : stdout));
  });
}
