import { dirname } from "node:path/posix";
import fuzzysort, { type SnapshotKey } from "fuzzysort";
import { type FileList, listByGit, listFiles } from "./file-list.js";

export interface FileMatch {
  readonly path: string;
  readonly isFolder: boolean;
  readonly score: number;
}

/** Maximum number of file events applied one by one, as from a build. If there are more, listing the folder again is cheaper. */
const maxSingleChanges = 500;

/** Index of a folder's files. Lists them on first use, then applies the editor's file events. */
export class FileIndex {
  #files: Set<string> | undefined;
  #isCut = false;
  #snapshot: SnapshotKey<IndexedPath> | undefined;
  #listing: Promise<void> | undefined;
  /** Files created since the last refresh, which Git may still ignore. */
  readonly #created = new Set<string>();
  #mustList = true;

  constructor(
    private readonly folder: string,
    private readonly limit = 100_000,
  ) {}

  /** True if the index reached its limit and is therefore incomplete. */
  get isCut(): boolean {
    return this.#isCut;
  }

  async search(text: string, count: number): Promise<FileMatch[]> {
    await this.#refresh();
    this.#snapshot ??= fuzzysort.snapshot(entriesOf(this.#files ?? new Set()), { key: "path" });
    const found = fuzzysort.go(text, this.#snapshot, { limit: count * 4, threshold: 0.2 });
    // Prefer matches in the file name to matches in its folders, then shorter paths.
    const weighed = found.map(({ obj, score, indexes }) => {
      const isInName = (indexes[0] ?? 0) >= obj.nameAt;
      return { path: obj.path, isFolder: obj.isFolder, score: score + (isInName ? 0.5 : 0) - obj.path.length / 10_000 };
    });
    return weighed.sort((a, b) => b.score - a.score).slice(0, count);
  }

  /** Returns the first `count` files by depth, then path; those in hidden folders come last. Also loads the index for later searches. */
  async first(count: number): Promise<readonly string[]> {
    await this.#refresh();
    const weight = (path: string): number => path.split("/").length + (/(?:^|\/)\./.test(path) ? 100 : 0);
    const files = [...(this.#files ?? [])].map((path) => ({ path, weight: weight(path) }));
    return files
      .sort((a, b) => a.weight - b.weight || (a.path < b.path ? -1 : 1))
      .slice(0, count)
      .map(({ path }) => path);
  }

  created(path: string): void {
    if (path.endsWith(".gitignore")) this.#mustList = true;
    if (this.#mustList || this.#files?.has(path) === true) return;
    this.#created.add(path);
    if (this.#created.size > maxSingleChanges) this.#mustList = true;
  }

  deleted(path: string): void {
    if (path.endsWith(".gitignore")) this.#mustList = true;
    this.#created.delete(path);
    if (this.#files?.delete(path) === true) this.#snapshot = undefined;
    // Deleting a folder sends no events for the files in it, so list the files again.
    else if (this.#files) this.#mustList = true;
  }

  async #refresh(): Promise<void> {
    this.#listing ??= this.#update().finally(() => (this.#listing = undefined));
    await this.#listing;
  }

  async #update(): Promise<void> {
    const created = [...this.#created];
    this.#created.clear();
    if (!this.#mustList && created.length === 0) return;
    const added = this.#mustList ? undefined : await listByGit(this.folder, created);
    if (added && this.#files) {
      for (const path of added) this.#files.add(path);
      if (added.length > 0) this.#snapshot = undefined;
      return;
    }
    this.#mustList = false;
    const { files, isCut }: FileList = await listFiles(this.folder, this.limit);
    this.#files = new Set(files);
    this.#isCut = isCut;
    this.#snapshot = undefined;
  }
}

interface IndexedPath {
  readonly path: string;
  readonly nameAt: number;
  readonly isFolder: boolean;
}

function entriesOf(files: ReadonlySet<string>): IndexedPath[] {
  const folders = new Set<string>();
  for (const file of files) {
    for (let folder = dirname(file); folder !== "." && !folders.has(folder); folder = dirname(folder))
      folders.add(folder);
  }
  const entry = (path: string, isFolder: boolean): IndexedPath => ({
    path,
    nameAt: path.lastIndexOf("/") + 1,
    isFolder,
  });
  return [...[...files].map((path) => entry(path, false)), ...[...folders].map((path) => entry(path, true))];
}
