import { lstatSync, realpathSync } from "node:fs";
import { lstat, realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { foldersUp, isInside, realPlace } from "../../../base/node/folders.js";
import { loadUntrustedBytes, loadUntrustedText } from "../../../base/node/read-untrusted-file.js";

/** Location of a project's files. All paths are absolute with links resolved. */
export interface ProjectPlace {
  /** Folder that contains `.symposium`; if there is none, the repository's root or the folder itself. */
  readonly folder: string;
  /** Topmost folder of the project. Files outside it don't belong to the project. */
  readonly root: string;
  /** Folder shared by all worktrees of the repository, or the root without a repository. */
  readonly repository: string;
}

export interface UserFolders {
  /** The user's home folder, which is never a project. */
  readonly home: string;
  readonly config: string;
}

export const projectFolderName = ".symposium";
const fileNames = ["config.jsonc", "config.local.jsonc"] as const;

/**
 * Returns the folders from `cwd` up to the repository's root, nearest first. Outside a repository only `cwd`, since anyone may own the
 * parents. Empty in the home folder, or if `cwd` is no folder. Synchronous, since an agent's start waits for it: Node's threads for
 * asynchronous calls start slowly.
 */
export function foldersOfProject(cwd: string, home: string): readonly string[] {
  const start = realPathNow(cwd);
  const realHome = realPathNow(home) ?? home;
  if (start === undefined) return [];
  const passed: string[] = [];
  for (const folder of foldersUp(start)) {
    if (folder === realHome) break;
    passed.push(folder);
    if (exists(join(folder, ".git"))) return passed;
  }
  return passed.slice(0, 1);
}

/** Returns whether a project file exists for sessions in `cwd`; most folders have none. */
export function hasProjectFile(cwd: string, users: UserFolders): boolean {
  const folders = foldersOfProject(cwd, users.home);
  return folders.some((folder) => fileNames.some((name) => exists(join(folder, projectFolderName, name))));
}

/** Returns the project of sessions in `cwd`; undefined for the home folder and outside projects. */
export async function findProject(cwd: string, users: UserFolders): Promise<ProjectPlace | undefined> {
  const folders = foldersOfProject(cwd, users.home);
  const root = folders.at(-1);
  if (root === undefined) return undefined;
  const config = await realpath(users.config).catch(() => users.config);
  const repository = await sharedFolder(root);
  for (const folder of folders) {
    const own = join(folder, projectFolderName);
    if ((await realpath(own).catch(() => own)) === config) continue;
    if (fileNames.some((name) => exists(join(own, name)))) return { folder, root, repository };
  }
  return { folder: root, root, repository };
}

/**
 * Returns the folder that all worktrees share, which identifies the repository. A worktree counts only if the repository lists it, since
 * any folder can claim to be a worktree.
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

/** Returns the resolved path in a small git file; undefined if the file or path is missing. */
async function linkedFolder(file: string, pattern: RegExp): Promise<string | undefined> {
  const text = await readSmallText(file, maxPathBytes);
  const [, path] = (text !== undefined && pattern.exec(text)) || [];
  return path === undefined ? undefined : realPlace(resolve(dirname(file), path.trim()));
}

const maxPathBytes = 8_192;

/** Returns the text of a regular file of at most `maxBytes`; undefined otherwise. */
async function readSmallText(file: string, maxBytes: number): Promise<string | undefined> {
  return loadUntrustedText(file, maxBytes).catch(() => undefined);
}

/** Result of reading a file that must be inside the project. */
type OwnText =
  | { readonly kind: "text"; readonly text: string; readonly stamp: string }
  | { readonly kind: "absent" }
  | { readonly kind: "refused"; readonly reason: string };

/** Reads a regular UTF-8 file that is inside `root` after resolving links. Never rejects. */
export async function readOwnText(file: string, root: string, maxBytes: number): Promise<OwnText> {
  const real = await realPlace(file);
  if (real === undefined) return { kind: "absent" };
  if (!isInside(real, root)) return { kind: "refused", reason: "it links to a place outside the repository" };
  const found = await stat(real).catch(() => undefined);
  if (found?.isFile() !== true) return { kind: "refused", reason: "it isn't a regular file" };
  if (found.size > maxBytes) return { kind: "refused", reason: `it is larger than ${maxBytes / 1024} KiB` };
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      await loadUntrustedBytes(real, maxBytes),
    );
    return { kind: "text", text, stamp: stampOf(real, found) };
  } catch {
    return { kind: "refused", reason: "it can't be read as UTF-8 text" };
  }
}

/** Returns a text that changes whenever the file changes. The text includes the ctime, which programs can't set. */
export function stampOf(file: string, { ino, size, mtimeMs, ctimeMs }: Awaited<ReturnType<typeof stat>>): string {
  return [file, ino, size, mtimeMs, ctimeMs].join("\0");
}

/** Resolves `path` relative to `folder`; undefined if it doesn't exist, or if its real path is outside `root`. */
export async function pathInside(path: string, folder: string, root: string): Promise<string | undefined> {
  const real = await realPlace(resolve(folder, path));
  return real !== undefined && isInside(real, root) ? real : undefined;
}

/** Returns whether a path is relative and has no `..`. */
export function isPlainPath(path: string): boolean {
  return !isAbsolute(path) && !/^[A-Za-z]:|^~|\0/.test(path) && !path.split(/[\\/]/).includes("..");
}

/** Returns `path` relative to `folder`, with `/` as separator. */
export function shownPath(path: string, folder: string): string {
  // Replace only the system's separator: on systems where a backslash can be part of a name, replacing it could make two files look equal.
  return relative(folder, path).split(sep).join("/");
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function realPathNow(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
