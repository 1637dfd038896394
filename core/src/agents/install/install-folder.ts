import { lstat, mkdir, mkdtemp, open, readdir, readFile, realpath, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { isInside } from "../../base/node/folders.js";
import { nameKey, stateFileName } from "../../base/node/archives/name-rules.js";
import { emptyState, type InstallState, parseState, stateText } from "./install-state.js";
import { atomicWrite, systemCode } from "../../base/node/atomic-write.js";
import { installFailed } from "../../base/node/install-failure.js";

const stagePrefix = ".stage-";
/** Retries, because Windows can't remove a file that another program, such as a virus scanner, has opened. */
const removal = { recursive: true, force: true, maxRetries: 5, retryDelay: 100 } as const;
const renameAttempts = 20;

/** Folder of one id. Contains only a folder for each version and `current.json`. */
export class InstallFolder {
  constructor(readonly path: string) {}

  /** Reads the installed state. Rejects if the file exists but isn't a valid state file. */
  async readState(): Promise<InstallState> {
    const file = join(this.path, stateFileName);
    let text: string;
    try {
      text = await readFile(file, "utf8");
    } catch (error) {
      if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return emptyState;
      throw error;
    }
    const state = parseState(text);
    if (state !== undefined) return state;
    throw installFailed(`"${file}" cannot be read`, "it is damaged", "Delete its folder and install again.");
  }

  writeState(state: InstallState): Promise<void> {
    return atomicWrite(join(this.path, stateFileName), stateText(state));
  }

  at(folder: string): string {
    return join(this.path, folder);
  }

  async stage(): Promise<string> {
    await mkdir(this.path, { recursive: true });
    return mkdtemp(join(this.path, stagePrefix));
  }

  /** Syncs the staged folder to disk and renames it to the version. Appends a number if the name is taken. */
  async publish(staged: string, version: string): Promise<string> {
    await syncTree(staged);
    const taken = new Set((await readdir(this.path)).map(nameKey));
    let folder = version;
    for (let number = 2; taken.has(nameKey(folder)); number++) folder = `${version}~${number}`;
    await renameFolder(staged, this.at(folder));
    await syncPath(this.path);
    return folder;
  }

  /** Removes leftovers of killed installations, and versions that the state doesn't list. */
  async sweep(state: InstallState): Promise<void> {
    const kept = new Set([stateFileName, ...state.versions.map(({ folder }) => folder)]);
    for (const name of await readdir(this.path).catch(() => [])) {
      // Windows can't remove files in use; the next sweep retries.
      if (!kept.has(name)) await rm(this.at(name), removal).catch(() => undefined);
    }
    await this.#removeIfEmpty();
  }

  async discard(folder: string): Promise<void> {
    await rm(folder, removal).catch(() => undefined);
    await this.#removeIfEmpty();
  }

  /** Removes the state file first: a folder without state is treated as not installed. */
  async remove(): Promise<void> {
    await rm(join(this.path, stateFileName), { force: true });
    await rm(this.path, removal);
  }

  async #removeIfEmpty(): Promise<void> {
    await rmdir(this.path).catch(() => undefined);
  }
}

/** Whether `file`, a path with `/` separators, is a regular file inside `folder` after resolving links. */
export async function isFileWithin(folder: string, file: string): Promise<boolean> {
  try {
    const path = await realpath(join(folder, ...file.split("/")));
    return isInside(path, await realpath(folder)) && (await lstat(path)).isFile();
  } catch {
    return false;
  }
}

async function renameFolder(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      const isBusy = process.platform === "win32" && ["EPERM", "EACCES", "EBUSY"].includes(systemCode(error));
      if (!isBusy || attempt === renameAttempts) throw error;
      await wait(100);
    }
  }
}

const syncsAtOnce = 16;

async function syncTree(root: string): Promise<void> {
  const paths: string[] = [root];
  for (const entry of await readdir(root, { withFileTypes: true, recursive: true })) {
    if (entry.isFile() || entry.isDirectory()) paths.push(join(entry.parentPath, entry.name));
  }
  const next = paths.values();
  await Promise.all(
    Array.from({ length: syncsAtOnce }, async () => {
      for (const path of next) await syncPath(path);
    }),
  );
}

/** Syncing is best effort: some systems don't allow it for every file or folder. */
async function syncPath(path: string): Promise<void> {
  await using handle = await open(path, process.platform === "win32" ? "r+" : "r").catch(() => undefined);
  await handle?.sync().catch(() => undefined);
}
