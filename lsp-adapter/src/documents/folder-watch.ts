import { type Dirent, type FSWatcher, readdirSync, statSync, watch } from "node:fs";
import { basename, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { isIgnoredFolder } from "./find-file.js";

/** LSP's numbers for types of file changes. */
export const fileChangeTypes = { created: 1, changed: 2, deleted: 3 } as const;

export interface FileChange {
  readonly path: string;
  readonly type: (typeof fileChangeTypes)[keyof typeof fileChangeTypes];
}

/** Maximum number of watched folders, since all programs share the system's limit. */
const maxFolders = 8_000;

/**
 * Watches the files of a folder, except generated folders. `isComplete` is false if the system can't watch or there are too many folders;
 * then changes are noticed only for files that a caller names.
 */
export class FolderWatch implements Disposable {
  readonly #watchers = new Map<string, FSWatcher>();
  /** Names of known files by folder, which distinguish new files from replaced ones. */
  readonly #files = new Map<string, Set<string>>();
  readonly #dirty = new Set<string>();
  readonly #isRecursive = process.platform === "darwin" || process.platform === "win32";
  #isComplete = true;
  #isClosed = false;

  constructor(readonly root: string) {
    if (this.#isRecursive) this.#watchAll();
    else this.#watchFolder(root, undefined);
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Returns the changes since the last call. On Linux, includes every write that finished before the call. */
  async takeChanges(): Promise<readonly FileChange[]> {
    // Node reads queued events between two ticks, and the first tick may have started before the write.
    await turn();
    await turn();
    return this.takeSeen();
  }

  takeSeen(): readonly FileChange[] {
    const changes: FileChange[] = [];
    for (const path of this.#dirty) this.#classify(path, changes);
    this.#dirty.clear();
    return changes;
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  /** Watches the whole tree at once, on systems that can. */
  #watchAll(): void {
    this.#listen(this.root, (name) => {
      const folders = name.split(/[\\/]/).slice(0, -1);
      if (!folders.some(isIgnoredFolder)) this.#dirty.add(join(this.root, name));
    });
  }

  /** Watches `folder` and its subfolders; adds files found in a new folder to `changes`. */
  #watchFolder(folder: string, changes: FileChange[] | undefined): void {
    if (this.#watchers.has(folder) || this.#isClosed) return;
    if (this.#watchers.size >= maxFolders) {
      this.#isComplete = false;
      return;
    }
    // Watch before reading, so that no new entry is missed.
    this.#listen(folder, (name) => this.#dirty.add(join(folder, name)));
    const files = new Set<string>();
    this.#files.set(folder, files);
    for (const entry of entriesOf(folder)) {
      if (entry.isDirectory()) {
        if (!isIgnoredFolder(entry.name)) this.#watchFolder(join(folder, entry.name), changes);
      } else {
        files.add(entry.name);
        changes?.push({ path: join(folder, entry.name), type: fileChangeTypes.created });
      }
    }
  }

  #listen(folder: string, onName: (name: string) => void): void {
    try {
      const watcher = watch(folder, { recursive: this.#isRecursive, persistent: false });
      watcher.on("change", (_event, name) => typeof name === "string" && onName(name));
      watcher.on("error", () => this.#forget(folder));
      this.#watchers.set(folder, watcher);
    } catch {
      // The folder was deleted, or the system's watches are exhausted.
      this.#isComplete = false;
    }
  }

  #classify(path: string, changes: FileChange[]): void {
    const folder = join(path, "..");
    const files = this.#files.get(folder);
    const name = basename(path);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory() === true) {
      if (!this.#isRecursive && !isIgnoredFolder(name)) this.#watchFolder(path, changes);
    } else if (stats) {
      const isKnown = files === undefined || files.has(name);
      files?.add(name);
      changes.push({ path, type: isKnown ? fileChangeTypes.changed : fileChangeTypes.created });
    } else if (this.#watchers.has(path)) {
      this.#forgetTree(path, changes);
    } else if (this.#isRecursive || files?.delete(name) === true) {
      changes.push({ path, type: fileChangeTypes.deleted });
    }
  }

  #forgetTree(folder: string, changes: FileChange[]): void {
    for (const [path, files] of [...this.#files]) {
      if (path !== folder && !path.startsWith(join(folder, "/"))) continue;
      for (const name of files) changes.push({ path: join(path, name), type: fileChangeTypes.deleted });
      this.#forget(path);
    }
  }

  #forget(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
    this.#files.delete(folder);
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // Gone already, or not ours to read.
  }
}
