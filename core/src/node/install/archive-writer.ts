import { copyFile, link, mkdir, open, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { ArchiveEntry, ArchiveTree, PlacedLink } from "../../registry/install-archive.js";
import { installFailed } from "./install-error.js";

/**
 * Writes the members of an archive below `root`, a folder that nobody else writes to, where `tree` lets them go.
 * Owners, times and all permissions but "executable" are dropped.
 */
export class ArchiveWriter {
  readonly #made = new Set<string>();

  constructor(
    private readonly root: string,
    private readonly tree: ArchiveTree,
    private readonly signal: AbortSignal,
  ) {}

  /** Takes the member's content only where there is something to write. */
  async write(entry: ArchiveEntry, content: () => AsyncIterable<Uint8Array>): Promise<void> {
    this.signal.throwIfAborted();
    const placed = this.tree.place(entry);
    if (placed === undefined) return;
    if (placed.kind === "folder") return this.#makeFolder(placed.path);
    await this.#makeFolder(placed.path.slice(0, -1));
    if (placed.kind === "hardlink") return this.#link(placed.source, placed.path);
    // Exclusively: two names can be one file by rules that only the file system knows.
    const handle = await open(this.#at(placed.path), "wx", placed.isExecutable ? 0o755 : 0o644);
    try {
      for await (const piece of content()) {
        this.signal.throwIfAborted();
        this.tree.count(piece.length);
        await handle.writeFile(piece);
      }
    } finally {
      await handle.close();
    }
  }

  /** Makes the symbolic links, once all else is written. */
  async finish(): Promise<void> {
    for (const placed of this.tree.links()) {
      await this.#makeFolder(placed.path.slice(0, -1));
      if (process.platform === "win32") await this.#copyTarget(placed);
      else await symlink(placed.target, this.#at(placed.path));
    }
  }

  /** Windows lets only some users make links, so a copy stands there. */
  async #copyTarget({ path, leadsTo, target }: PlacedLink): Promise<void> {
    if (leadsTo === undefined) return;
    try {
      await copyFile(this.#at(leadsTo), this.#at(path));
    } catch (thrown) {
      throw installFailed(
        `The archive's link "${path.join("/")}" cannot be made`,
        `"${target}" is no file`,
        "",
        thrown,
      );
    }
  }

  async #link(source: readonly string[], path: readonly string[]): Promise<void> {
    try {
      await link(this.#at(source), this.#at(path));
    } catch {
      await copyFile(this.#at(source), this.#at(path));
    }
  }

  async #makeFolder(path: readonly string[]): Promise<void> {
    const folder = this.#at(path);
    if (this.#made.has(folder)) return;
    await mkdir(folder, { recursive: true, mode: 0o755 });
    this.#made.add(folder);
  }

  #at(path: readonly string[]): string {
    return join(this.root, ...path);
  }
}
