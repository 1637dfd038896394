/**
 * File system for package readers. Paths are absolute, use `/` on all platforms and can lead into zip archives
 * (`…/x.zip/node_modules/x/index.js`).
 */
export interface PackageFiles {
  /** Reads a text file; undefined if it's missing, binary or larger than `maxBytes` (default 4 MiB). */
  read(path: string, maxBytes?: number): Promise<string | undefined>;
  /** Lists a folder's entries, sorted by name; empty if the path isn't a folder. */
  list(folder: string): Promise<readonly FolderEntry[]>;
  /** Resolves the links in a path; undefined if the path doesn't exist. */
  realPath(path: string): Promise<string | undefined>;
  /** Whether the path is a file, following links. */
  isFile(path: string): Promise<boolean>;
  /**
   * Returns a text that changes whenever the file or folder does; undefined if the path doesn't exist. The text starts with the
   * modification time.
   */
  stamp(path: string): Promise<string | undefined>;
}

export interface FolderEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link";
}

/** Returns the parent folder of a path. The root folder is its own parent. */
export function parentOf(path: string): string {
  const at = path.lastIndexOf("/");
  if (at < 0) return path;
  if (at === 0) return "/";
  return at === 2 && path[1] === ":" ? path.slice(0, 3) : path.slice(0, at);
}

/** Yields `path` and its parents, nearest first. */
export function* upwards(path: string): Generator<string, void> {
  for (let at = path; ; at = parentOf(at)) {
    yield at;
    if (at === parentOf(at)) return;
  }
}

/** Resolves `relative` against `folder`, including `.` and `..`. Absolute paths stay absolute. */
export function joined(folder: string, relative: string): string {
  const isAbsolute = /^(?:\/|[A-Za-z]:\/)/.test(relative);
  const path = isAbsolute ? relative : `${folder}/${relative}`;
  const root = /^(?:[A-Za-z]:)?\//.exec(path)?.[0] ?? "";
  const parts: string[] = [];
  for (const part of path.slice(root.length).split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") parts.pop();
    else parts.push(part);
  }
  return root + parts.join("/");
}

/**
 * Returns `path` relative to `folder`, `""` for the folder itself; undefined if `path` is outside the folder. Both paths must be
 * normalized.
 */
export function insideOf(path: string, folder: string): string | undefined {
  if (path === folder) return "";
  const prefix = folder.endsWith("/") ? folder : `${folder}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
}

/** Whether the path exists and, after resolving links, is in the folder. */
export async function isWithin(files: PackageFiles, path: string, folder: string): Promise<boolean> {
  const [real, root] = await Promise.all([files.realPath(path), files.realPath(folder)]);
  return real !== undefined && root !== undefined && insideOf(real, root) !== undefined;
}

/** Caches parsed files until they change. */
export class ReadOnce<Value> {
  readonly #known = new Map<string, { readonly stamp: string; readonly value: Promise<Value | undefined> }>();

  constructor(
    private readonly files: PackageFiles,
    private readonly parse: (text: string, path: string) => Value | undefined,
    private readonly maxBytes: number,
    private readonly maxKept: number,
  ) {}

  /** Returns undefined if the file is missing or unreadable, or the parser throws. */
  async of(path: string): Promise<Value | undefined> {
    const stamp = await this.files.stamp(path);
    if (stamp === undefined) return undefined;
    const known = this.#known.get(path);
    if (known?.stamp === stamp) return known.value;
    const value = this.files
      .read(path, this.maxBytes)
      .then((text) => (text === undefined ? undefined : this.parse(text, path)))
      .catch(() => undefined);
    this.#known.delete(path);
    this.#known.set(path, { stamp, value });
    const [oldest] = this.#known.keys();
    if (this.#known.size > this.maxKept && oldest !== undefined) this.#known.delete(oldest);
    return value;
  }
}
