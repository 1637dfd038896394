import { readdir } from "node:fs/promises";
import { join } from "node:path";
import ignore, { type Ignore } from "ignore";
import { quickRules, readSmallText } from "../snapshots/ignore-rules.js";
import { askGit, safeDiffOptions } from "@symposium-dev/core/node";

export interface FileList {
  readonly files: readonly string[];
  readonly isCut: boolean;
}

const maxGitBytes = 256 * 1024 * 1024;
const longMs = 60_000;
/** Folders that are always skipped. Outside Git, no ignore rule would exclude them. */
const skippedFolders: ReadonlySet<string> = new Set([".git", ".hg", ".svn", "node_modules"]);

/** Lists Git's tracked and untracked files, without ignored ones. Outside Git, applies the `.gitignore` files itself. */
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

interface Folder {
  readonly path: string;
  /** Ignore rules for the folder, each with the folder that defines it. */
  readonly rules: readonly { readonly base: string; readonly ignore: Ignore }[];
}

async function walk(root: string, limit: number, signal: AbortSignal | undefined): Promise<string[]> {
  const files: string[] = [];
  const folders: Folder[] = [{ path: "", rules: [] }];
  for (
    let folder = folders.shift();
    folder && files.length < limit && signal?.aborted !== true;
    folder = folders.shift()
  ) {
    const { path } = folder;
    const entries = await readdir(join(root, path), { withFileTypes: true }).catch(() => []);
    const own = entries.some(({ name }) => name === ".gitignore") ? rulesOf(join(root, path)) : undefined;
    const rules = own ? [...folder.rules, { base: path, ignore: own }] : folder.rules;
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const inner = path === "" ? entry.name : `${path}/${entry.name}`;
      if (isIgnored(inner, entry.isDirectory(), rules)) continue;
      if (entry.isDirectory()) {
        if (!skippedFolders.has(entry.name)) folders.push({ path: inner, rules });
      } else if (entry.isFile() || entry.isSymbolicLink()) files.push(inner);
    }
  }
  return files;
}

function rulesOf(folder: string): Ignore | undefined {
  try {
    return ignore().add(quickRules(readSmallText(join(folder, ".gitignore"))));
  } catch {
    return undefined;
  }
}

/** The innermost `.gitignore` with a matching rule decides. */
function isIgnored(path: string, isFolder: boolean, rules: Folder["rules"]): boolean {
  for (const { base, ignore: own } of [...rules].reverse()) {
    const { ignored, unignored } = own.test(
      `${base === "" ? path : path.slice(base.length + 1)}${isFolder ? "/" : ""}`,
    );
    if (ignored || unignored) return ignored;
  }
  return false;
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
