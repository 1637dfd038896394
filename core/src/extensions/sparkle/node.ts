import { lstat, mkdir, readdir, realpath, rm } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { foldersUp, isInside, realPlace, isThere } from "../../base/node/folders.js";
import { messageOf, SymposiumError } from "../../base/symposium-error.js";
import { atomicWrite, systemCode, unlessCode } from "../../base/node/atomic-write.js";
import { loadUntrustedBytes } from "../../base/node/read-untrusted-file.js";
import { FileLock } from "../../base/node/file-lock.js";
import {
  type IgnoreFile,
  memoryFault,
  type MemoryFolder,
  type SparkleServices,
  type WritableFolder,
} from "./services.js";

/** Creates services that store Sparkle's files in `.sparkle` in the home folder and in `.sparkle-space` in workspaces. */
export function sparkleServices(homeFolder: string): SparkleServices {
  return {
    now: () => new Date(),
    home: userFolder(join(homeFolder, ".sparkle")),
    workspace: (cwd) => workspaceFolder(cwd, ".sparkle-space"),
    ignoreFiles: ignoreFilesOf,
    addIgnoreLine,
  };
}

/** Returns the path of a file by its name; rejects if that path may not be used. */
type Locate = (name: string) => Promise<string>;

/** Returns a folder that belongs to the user. Links in it may lead anywhere, as is common for dotfiles. */
export function userFolder(path: string): MemoryFolder {
  const locate: Locate = (name) => Promise.resolve(join(path, ...name.split("/")));
  return diskFolder(path, () => Promise.resolve(path), locate);
}

/**
 * Returns a folder in a workspace, whose content others may have created. The folder must be inside the workspace, and its links may not
 * lead out of the folder.
 */
function workspaceFolder(workspace: string, name: string): MemoryFolder {
  const root = async (): Promise<string> => {
    const real = await realPlace(workspace);
    if (real === undefined)
      throw memoryFault(`The workspace "${workspace}" does not exist.`, "Open an existing folder.");
    return pathInside(real, name);
  };
  return diskFolder(join(workspace, name), root, async (file) => pathInside(await root(), file));
}

function diskFolder(path: string, root: () => Promise<string>, locate: Locate): MemoryFolder {
  const read = async (name: string): Promise<string | undefined> => readNote(await locate(name));
  const list = async (folder: string): Promise<string[]> => listNotes(await locate(folder));
  return {
    path,
    read,
    list,
    async change(edit, signal) {
      const folder = await root();
      const isNew = (await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined;
      await using lock = await lockOf(folder, signal);
      const files: WritableFolder = {
        isNew,
        read,
        list,
        async write(name, text) {
          await assertHeld(lock);
          await atomicWrite(await locate(name), text);
        },
        async remove(name) {
          await assertHeld(lock);
          await rm(await locate(name), { force: true });
        },
      };
      return await edit(files);
    },
  };
}

/** Locks the folder, so that other sessions can't change it. */
async function lockOf(folder: string, signal: AbortSignal | undefined): Promise<FileLock> {
  try {
    return await FileLock.take(join(folder, ".changes"), { signal });
  } catch (error) {
    signal?.throwIfAborted();
    const why = error instanceof SymposiumError ? "another session is writing to it" : messageOf(error);
    const hint = error instanceof SymposiumError ? error.hint : undefined;
    throw memoryFault(`${folder} can't be changed: ${why}; nothing was saved.`, hint ?? "Check the folder.", error);
  }
}

async function assertHeld(lock: FileLock): Promise<void> {
  if (await lock.isHeld()) return;
  throw memoryFault("Another session took over while this one was writing; nothing more was saved.", "Try again.");
}

const largestFile = 4 * 1024 * 1024;

/** Returns a file's text; undefined if the file doesn't exist. Rejects if the file isn't a text file of at most 4 MiB. */
async function readNote(path: string): Promise<string | undefined> {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      await loadUntrustedBytes(path, largestFile),
    );
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw memoryFault(`${path} cannot be read: ${messageOf(error)}.`, "Ask the user to check the file.", error);
  }
}

/** Returns the sorted names of the files in a folder; empty if the folder doesn't exist. */
async function listNotes(path: string): Promise<string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

function isAbsent(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(systemCode(error));
}

/**
 * Resolves `name` (relative, with `/`) in `folder`, which must be a real path; parts that don't exist are kept as named. Rejects if a link
 * is broken or leads out of the folder.
 */
async function pathInside(folder: string, name: string): Promise<string> {
  const parts = name.split("/");
  if (parts.some((part) => part === "" || part === "." || part === ".." || part.includes("\\"))) {
    throw memoryFault(`"${name}" isn't a valid file name in ${folder}.`, "Use a plain relative name.");
  }
  let path = folder;
  for (const [index, part] of parts.entries()) {
    const next = join(path, part);
    const entry = await unlessCode(lstat(next), ["ENOENT"]);
    if (entry === undefined) return join(path, ...parts.slice(index));
    path = entry.isSymbolicLink() ? await followInside(folder, next) : next;
  }
  return path;
}

async function followInside(folder: string, link: string): Promise<string> {
  const target = await realPlace(link);
  if (target !== undefined && isInside(target, folder)) return target;
  throw memoryFault(`${link} is a link that leads outside ${folder}.`, "Replace it with a real file or folder.");
}

/**
 * Returns the ignore rules of the Git work tree that contains `cwd`, in ascending precedence; undefined if there is no work tree. Excludes
 * the user's global rules.
 */
async function ignoreFilesOf(cwd: string): Promise<readonly IgnoreFile[] | undefined> {
  const workspace = await realpath(cwd);
  const folders: string[] = [];
  for (const folder of foldersUp(workspace)) {
    folders.unshift(folder);
    if (await isThere(join(folder, ".git"))) break;
  }
  const [top = workspace] = folders;
  if (!(await isThere(join(top, ".git")))) return undefined;
  const sources = [{ folder: top, file: join(top, ".git", "info", "exclude") }];
  for (const folder of folders) sources.push({ folder, file: join(folder, ".gitignore") });
  const found = await Promise.all(
    sources.map(async ({ folder, file }) => {
      const text = await readNote(file).catch(() => undefined);
      return text === undefined ? [] : [{ below: relative(folder, workspace).split(sep).join("/"), text }];
    }),
  );
  return found.flat();
}

/** Appends a line to `.gitignore` in `cwd`, using the file's kind of line breaks. Resolves with the path of the `.gitignore`. */
async function addIgnoreLine(cwd: string, line: string): Promise<string> {
  const file = await pathInside(await realpath(cwd), ".gitignore");
  const text = (await readNote(file)) ?? "";
  const lineBreak = text.includes("\r\n") ? "\r\n" : "\n";
  await atomicWrite(file, `${text}${text === "" || text.endsWith("\n") ? "" : lineBreak}${line}${lineBreak}`);
  return file;
}
