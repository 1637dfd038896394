/**
 * The file system as readers of packages see it: paths are absolute, with `/` between their parts on every system, and lead
 * into zip archives as into folders (`…/x.zip/node_modules/x/index.js`).
 */
export interface PackageFiles {
  /** The text of a file; undefined when there is none, it is larger than `maxBytes` (4 MiB by default), or it is not text. */
  read(path: string, maxBytes?: number): Promise<string | undefined>;
  /** What lies in a folder, sorted by name; empty when it is none. */
  list(folder: string): Promise<readonly FolderEntry[]>;
  /** The path with links followed; undefined when nothing is there. */
  realPath(path: string): Promise<string | undefined>;
  /** Whether a file is there, links followed. */
  isFile(path: string): Promise<boolean>;
  /** Changes whenever the file or folder does; undefined when there is none. Begins with the time of its last change. */
  stamp(path: string): Promise<string | undefined>;
}

export interface FolderEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link";
}

/** The folder that `path` is in; the root is in itself. */
export function parentOf(path: string): string {
  const at = path.lastIndexOf("/");
  if (at < 0) return path;
  if (at === 0) return "/";
  return at === 2 && path[1] === ":" ? path.slice(0, 3) : path.slice(0, at);
}

/** `path` and all folders that it is in, the nearest first. */
export function* upwards(path: string): Generator<string, void> {
  for (let at = path; ; at = parentOf(at)) {
    yield at;
    if (at === parentOf(at)) return;
  }
}

/** `relative` from `folder` on, without `.` and `..`; an absolute one stands for itself. */
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

/** Where `path` lies in `folder`, `""` for the folder itself; undefined when it lies elsewhere. Both are normal paths. */
export function insideOf(path: string, folder: string): string | undefined {
  if (path === folder) return "";
  const prefix = folder.endsWith("/") ? folder : `${folder}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
}

/** Whether a path is there and, links followed, in a folder. */
export async function isWithin(files: PackageFiles, path: string, folder: string): Promise<boolean> {
  const [real, root] = await Promise.all([files.realPath(path), files.realPath(folder)]);
  return real !== undefined && root !== undefined && insideOf(real, root) !== undefined;
}

/** What a file says, read again only when it changes. */
export class ReadOnce<Value> {
  readonly #known = new Map<string, { readonly stamp: string; readonly value: Promise<Value | undefined> }>();

  constructor(
    private readonly files: PackageFiles,
    private readonly parse: (text: string, path: string) => Value | undefined,
    private readonly maxBytes: number,
    private readonly maxKept: number,
  ) {}

  /** Undefined when there is no such file, it cannot be read, or the parser throws for what it says. */
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
