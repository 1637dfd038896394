import { lstat, realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { foldersUp, isInside, realPlace } from "../../../base/node/folders.js";
import { loadUntrustedBytes, loadUntrustedText } from "../../../base/node/read-untrusted-file.js";

/** Where the files of a project are. All paths are absolute, links followed. */
export interface ProjectPlace {
  /** The folder that `.symposium` is in, or, where there is none, the repository's root or the folder itself. */
  readonly folder: string;
  /** Nothing outside of it belongs to the project. */
  readonly root: string;
  /** What all worktrees of the repository share; the root itself where there is no repository. */
  readonly repository: string;
}

export interface UserFolders {
  /** The user's own folder, which is no project. */
  readonly home: string;
  /** The folder of the user's config.jsonc. */
  readonly config: string;
}

/** The folder of a project's own configuration. */
export const projectFolderName = ".symposium";
const fileNames = ["config.jsonc", "config.local.jsonc"] as const;

/**
 * The folders from `cwd` up to the repository's root, nearest first; outside of a repository `cwd` alone, since what stands
 * above it can be anybody's. None in the user's own folder, or where `cwd` is no folder.
 */
export async function foldersOfProject(cwd: string, home: string): Promise<readonly string[]> {
  const start = await realPlace(cwd);
  const realHome = await realpath(home).catch(() => home);
  if (start === undefined) return [];
  const passed: string[] = [];
  for (const folder of foldersUp(start)) {
    if (folder === realHome) break;
    passed.push(folder);
    if (await exists(join(folder, ".git"))) return passed;
  }
  return passed.slice(0, 1);
}

/** Whether there is a file of a project for sessions in `cwd`: most folders have none. */
export async function hasProjectFile(cwd: string, users: UserFolders): Promise<boolean> {
  const folders = await foldersOfProject(cwd, users.home);
  const files = folders.flatMap((folder) => fileNames.map((name) => join(folder, projectFolderName, name)));
  return (await Promise.all(files.map(exists))).includes(true);
}

/** The project that sessions in `cwd` belong to; undefined for the user's own folder and for none at all. */
export async function findProject(cwd: string, users: UserFolders): Promise<ProjectPlace | undefined> {
  const folders = await foldersOfProject(cwd, users.home);
  const root = folders.at(-1);
  if (root === undefined) return undefined;
  const config = await realpath(users.config).catch(() => users.config);
  const repository = await sharedFolder(root);
  for (const folder of folders) {
    const own = join(folder, projectFolderName);
    if ((await realpath(own).catch(() => own)) === config) continue;
    const has = await Promise.all(fileNames.map((name) => exists(join(own, name))));
    if (has.includes(true)) return { folder, root, repository };
  }
  return { folder: root, root, repository };
}

/**
 * The folder that all worktrees of a repository share, and which therefore stands for it. A worktree is one only where the
 * repository says so, too: any folder can say of itself that it belongs to another.
 */
export async function sharedFolder(root: string): Promise<string> {
  const own = join(root, ".git");
  const entry = await lstat(own).catch(() => undefined);
  if (entry?.isDirectory() === true) return own;
  if (entry?.isFile() !== true) return root;
  const gitFolder = await linkedFolder(own, /^gitdir: (.+)$/m);
  const back = gitFolder && (await linkedFolder(join(gitFolder, "gitdir"), /^(.+)$/m));
  const shared = gitFolder && (await linkedFolder(join(gitFolder, "commondir"), /^(.+)$/m));
  if (gitFolder === undefined || shared === undefined || back !== own) return root;
  return isInside(gitFolder, join(shared, "worktrees")) ? shared : root;
}

/** The path that a small file of git's names, links followed; undefined where there is none. */
async function linkedFolder(file: string, pattern: RegExp): Promise<string | undefined> {
  const text = await readSmallText(file, maxPathBytes);
  const [, path] = (text !== undefined && pattern.exec(text)) || [];
  return path === undefined ? undefined : realPlace(resolve(dirname(file), path.trim()));
}

const maxPathBytes = 8_192;

/** The text of an ordinary file that is no longer than that; undefined for everything else. */
async function readSmallText(file: string, maxBytes: number): Promise<string | undefined> {
  return loadUntrustedText(file, maxBytes).catch(() => undefined);
}

/** What became of reading a file that must be the project's own. */
type OwnText =
  | { readonly kind: "text"; readonly text: string; readonly stamp: string }
  | { readonly kind: "absent" }
  | { readonly kind: "refused"; readonly reason: string };

/** Reads a file of the project: an ordinary one inside of `root`, links followed, of UTF-8 text. Never rejects. */
export async function readOwnText(file: string, root: string, maxBytes: number): Promise<OwnText> {
  const real = await realPlace(file);
  if (real === undefined) return { kind: "absent" };
  if (!isInside(real, root)) return { kind: "refused", reason: "it is a link to a place outside of the repository" };
  const found = await stat(real).catch(() => undefined);
  if (found?.isFile() !== true) return { kind: "refused", reason: "it is no ordinary file" };
  if (found.size > maxBytes) return { kind: "refused", reason: `it is longer than ${maxBytes / 1024} KiB` };
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      await loadUntrustedBytes(real, maxBytes),
    );
    return { kind: "text", text, stamp: stampOf(real, found) };
  } catch {
    return { kind: "refused", reason: "it cannot be read as UTF-8 text" };
  }
}

/** Changes whenever the file does: the time of its last change is the system's own. */
export function stampOf(file: string, { ino, size, mtimeMs, ctimeMs }: Awaited<ReturnType<typeof stat>>): string {
  return [file, ino, size, mtimeMs, ctimeMs].join("\0");
}

/** `path` as an absolute one, from `folder`; undefined where it leads out of `root`, links followed, or nowhere. */
export async function pathInside(path: string, folder: string, root: string): Promise<string | undefined> {
  const real = await realPlace(resolve(folder, path));
  return real !== undefined && isInside(real, root) ? real : undefined;
}

/** Whether a path is relative, and leads nowhere but below. */
export function isPlainPath(path: string): boolean {
  return !isAbsolute(path) && !/^[A-Za-z]:|^~|\0/.test(path) && !path.split(/[\\/]/).includes("..");
}

/** `path` from `folder`, with `/` between the names. */
export function shownPath(path: string, folder: string): string {
  // A backslash is part of a name where it separates none: two files must not look like one.
  return relative(folder, path).split(sep).join("/");
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
