import { mkdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { memoryFault } from "../../proxies/sparkle/memory-fault.js";
import type { MemoryFolder, WritableFolder } from "../../proxies/sparkle/services.js";
import { atomicWrite } from "../atomic-write.js";
import { FolderLock } from "./folder-lock.js";
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
      await using lock = await FolderLock.take(folder, { signal });
      const files: WritableFolder = {
        isNew,
        read,
        list,
        async write(name, text) {
          await lock.assertHeld();
          await atomicWrite(await locate(name), text);
        },
        async remove(name) {
          await lock.assertHeld();
          await rm(await locate(name), { force: true });
        },
      };
      return await edit(files);
    },
  };
}
