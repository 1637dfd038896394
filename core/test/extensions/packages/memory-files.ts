import type { FolderEntry, PackageFiles } from "../../../src/extensions/packages/package-files.js";

/** Files by absolute path, and links to folders; it counts what is read. */
export class MemoryFiles implements PackageFiles {
  readonly wasRead: string[] = [];

  constructor(
    private readonly texts: Readonly<Record<string, string>>,
    private readonly mostReads = Infinity,
    private readonly links: Readonly<Record<string, string>> = {},
  ) {}

  read(path: string): Promise<string | undefined> {
    this.wasRead.push(path);
    if (this.wasRead.length > this.mostReads) return Promise.reject(new Error(`more than ${this.mostReads} reads`));
    return Promise.resolve(this.texts[this.#real(path)]);
  }

  list(folder: string): Promise<readonly FolderEntry[]> {
    const inside = Object.keys(this.texts).filter((path) => path.startsWith(`${this.#real(folder)}/`));
    const rests = inside.map((path) => path.slice(this.#real(folder).length + 1).split("/"));
    const kinds = new Map(rests.map(([name = "", ...rest]) => [name, rest.length > 0 ? "folder" : "file"] as const));
    return Promise.resolve(
      [...kinds].map(([name, kind]) => ({ name, kind })).toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    );
  }

  realPath(path: string): Promise<string | undefined> {
    const real = this.#real(path);
    const isThere = Object.keys(this.texts).some((one) => one === real || one.startsWith(`${real}/`));
    return Promise.resolve(isThere ? real : undefined);
  }

  isFile(path: string): Promise<boolean> {
    return Promise.resolve(this.texts[this.#real(path)] !== undefined);
  }

  async stamp(path: string): Promise<string | undefined> {
    return (await this.realPath(path)) === undefined ? undefined : `1 ${this.texts[this.#real(path)]?.length ?? 0}`;
  }

  #real(path: string): string {
    const link = Object.entries(this.links).find(([from]) => path === from || path.startsWith(`${from}/`));
    return link ? link[1] + path.slice(link[0].length) : path;
  }
}
