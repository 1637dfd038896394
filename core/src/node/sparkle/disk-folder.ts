import { mkdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, SymposiumError } from "../../base/symposium-error.js";
import { memoryFault } from "../../proxies/sparkle/memory-fault.js";
import type { MemoryFolder, WritableFolder } from "../../proxies/sparkle/services.js";
import { atomicWrite } from "../atomic-write.js";
import { FileLock } from "../file-lock.js";
import { pathInside } from "./inside-folder.js";
import { listNotes, readNote } from "./note-file.js";

/** Finds the file of a name; rejects when it may not be used. */
type Locate = (name: string) => Promise<string>;

/** A folder of the user's own: links in it may lead anywhere, as those of dotfiles do. */
export function userFolder(path: string): MemoryFolder {
  const locate: Locate = (name) => Promise.resolve(join(path, ...name.split("/")));
  return diskFolder(path, () => Promise.resolve(path), locate);
}

/** The folder `name` in a workspace, whose content others may have made: no link in it may lead out of it, nor it out of the workspace. */
export function workspaceFolder(workspace: string, name: string): MemoryFolder {
  const root = async (): Promise<string> => {
    const real = await realpath(workspace).catch(() => undefined);
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

/** Keeps all other sessions that change the folder out. */
async function lockOf(folder: string, signal: AbortSignal | undefined): Promise<FileLock> {
  try {
    return await FileLock.take(join(folder, ".changes"), { signal });
  } catch (error) {
    signal?.throwIfAborted();
    const why = error instanceof SymposiumError ? "another session is writing to it" : messageOf(error);
    const hint = error instanceof SymposiumError ? error.hint : undefined;
    throw memoryFault(`${folder} cannot be changed: ${why}; nothing was kept.`, hint ?? "Check what it is.", error);
  }
}

async function assertHeld(lock: FileLock): Promise<void> {
  if (await lock.isHeld()) return;
  throw memoryFault("Another session took over while this one was writing; nothing more was kept.", "Try again.");
}
