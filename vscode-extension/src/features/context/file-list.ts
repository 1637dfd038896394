import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { IgnoreRules } from "../snapshots/ignore-rules.js";
import { askGit, safeDiffOptions } from "@symposium-dev/core/node";

export interface FileList {
  readonly files: readonly string[];
  readonly isCut: boolean;
}

const maxGitBytes = 256 * 1024 * 1024;
const longMs = 60_000;

/** Lists Git's tracked and untracked files, without ignored ones. Outside Git, applies the `.gitignore` files itself, and skips installed packages. */
export async function listFiles(folder: string, limit: number, signal?: AbortSignal): Promise<FileList> {
  const files = (await listByGit(folder, [], signal)) ?? (await walk(folder, limit + 1, signal));
  return { files: files.slice(0, limit), isCut: files.length > limit };
}

/** Returns those of the relative `paths` that Git doesn't ignore; undefined if Git fails. */
export async function listByGit(
  folder: string,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<string[] | undefined> {
  const settings = ["--literal-pathspecs", "-c", "core.quotepath=off"];
  const args = [...settings, "ls-files", "-co", "--exclude-standard", "--deduplicate", "-z", "--", ...paths];
  const answer = await askGit(folder, args, { signal, maxBytes: maxGitBytes, timeoutMs: longMs });
  return answer?.code === 0 ? answer.stdout.split("\0").filter((path) => path !== "") : undefined;
}

async function walk(root: string, limit: number, signal: AbortSignal | undefined): Promise<string[]> {
  const files: string[] = [];
  const rules = new IgnoreRules(root, { included: [] });
  const folders = [{ path: "", outer: rules.ofRoot() }];
  for (
    let folder = folders.shift();
    folder && files.length < limit && signal?.aborted !== true;
    folder = folders.shift()
  ) {
    const { path, outer } = folder;
    const entries = await readdir(join(root, path), { withFileTypes: true }).catch(() => []);
    const own = rules.inFolder(path, outer, new Set(entries.map(({ name }) => name)));
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const inner = path === "" ? entry.name : `${path}/${entry.name}`;
      if (rules.isSkipped(inner, entry.name, entry.isDirectory(), own)) continue;
      if (entry.isDirectory()) folders.push({ path: inner, outer: own });
      else if (entry.isFile() || entry.isSymbolicLink()) files.push(inner);
    }
  }
  return files;
}

const diffWords = ["diff", ...safeDiffOptions];
const maxChars = 200_000;

/** Returns the diff since the last commit plus the names of untracked files; undefined outside Git. */
export async function gitDiff(folder: string): Promise<string | undefined> {
  const diff = (await git(folder, [...diffWords, "HEAD"])) ?? (await git(folder, [...diffWords, "--cached"]));
  if (diff === undefined) return undefined;
  const untracked = (await git(folder, ["ls-files", "--others", "--exclude-standard"])) ?? "";
  const text = untracked === "" ? diff : `${diff}\nNew files that Git does not track yet:\n${untracked}`;
  return text.length > maxChars ? `${text.slice(0, maxChars)}\n[The rest is omitted: the changes are too long.]` : text;
}

async function git(folder: string, args: readonly string[]): Promise<string | undefined> {
  const limits = { maxBytes: 64 * 1024 * 1024, timeoutMs: 20_000 };
  const answer = await askGit(folder, ["-c", "core.quotepath=off", ...args], limits);
  return answer?.code === 0 ? answer.stdout : undefined;
}
