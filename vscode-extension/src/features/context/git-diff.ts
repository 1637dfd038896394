import { execFile } from "node:child_process";

const maxChars = 200_000;

/** What has changed in `folder` since the last commit, with the names of new files; undefined outside Git. */
export async function gitDiff(folder: string): Promise<string | undefined> {
  const diff = (await git(folder, ["diff", "HEAD"])) ?? (await git(folder, ["diff", "--cached"]));
  if (diff === undefined) return undefined;
  const untracked = (await git(folder, ["ls-files", "--others", "--exclude-standard"])) ?? "";
  const text = untracked === "" ? diff : `${diff}\nNew files that Git does not track yet:\n${untracked}`;
  return text.length > maxChars
    ? `${text.slice(0, maxChars)}\n[The rest is left out: the changes are too long.]`
    : text;
}

function git(folder: string, args: readonly string[]): Promise<string | undefined> {
  const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024, windowsHide: true, timeout: 20_000 };
  return new Promise((resolve) => {
    // A repository's own configuration must not start programs here.
    const safe = ["-c", "core.quotepath=off", "-c", "core.fsmonitor=", "--no-pager"];
    execFile("git", [...safe, ...args.slice(0, 1), ...diffOptions(args), ...args.slice(1)], options, (error, stdout) =>
      resolve(error ? undefined : stdout),
    );
  });
}

function diffOptions([command]: readonly string[]): string[] {
  return command === "diff" ? ["--no-ext-diff", "--no-textconv", "--no-color"] : [];
}
