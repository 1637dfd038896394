import { attempt } from "../../../base/attempt.js";
import { realpathSync, statSync, type Stats } from "node:fs";
import { readdir } from "node:fs/promises";
import { loadUntrustedBytes, RefusedFile } from "../../../base/node/read-untrusted-file.js";
import type { FolderEntry, PackageFiles } from "../package-files.js";
import { splitZipPath, ZipArchives } from "./zip-archives.js";

const defaultMaxBytes = 4 * 1024 * 1024;

/**
 * File system of this machine, including zip archives; keeps no file open. Checks for files synchronously, as Node's own resolution does: a
 * query checks dozens of mostly missing files, which takes microseconds each synchronously but a tenth of a millisecond each through the
 * thread pool.
 */
export class DiskFiles implements PackageFiles {
  readonly #zips = new ZipArchives();

  async read(path: string, maxBytes = defaultMaxBytes): Promise<string | undefined> {
    const bytes = await this.#bytes(path, maxBytes).catch(() => undefined);
    return bytes === undefined || bytes.includes(0) ? undefined : bytes.toString("utf8");
  }

  async list(folder: string): Promise<readonly FolderEntry[]> {
    const zip = inZip(folder);
    if (zip) return (await this.#zips.open(zip.archive))?.folders.get(zip.inside) ?? [];
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const found = entries.flatMap((entry): FolderEntry[] => {
      const kind = entry.isFile()
        ? "file"
        : entry.isDirectory()
          ? "folder"
          : entry.isSymbolicLink()
            ? "link"
            : undefined;
      return kind === undefined ? [] : [{ name: entry.name, kind }];
    });
    return found.sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  async realPath(path: string): Promise<string | undefined> {
    const zip = inZip(path);
    const real = realPathOf(zip?.archive ?? path);
    if (real === undefined || !zip || zip.inside === "") return Promise.resolve(real);
    return (await this.stamp(path)) === undefined ? undefined : `${real}/${zip.inside}`;
  }

  async isFile(path: string): Promise<boolean> {
    const zip = inZip(path);
    if (zip && zip.inside !== "") return (await this.#zips.open(zip.archive))?.files.has(zip.inside) === true;
    return statOf(path)?.isFile() === true;
  }

  async stamp(path: string): Promise<string | undefined> {
    const zip = inZip(path);
    if (zip) {
      const archive = await this.#zips.open(zip.archive);
      if (archive?.files.has(zip.inside) !== true && archive?.folders.has(zip.inside) !== true) return undefined;
    }
    const facts = statOf(zip?.archive ?? path);
    return facts && `${facts.mtimeMs} ${facts.size} ${facts.ino}`;
  }

  async #bytes(path: string, maxBytes: number): Promise<Buffer | undefined> {
    const zip = inZip(path);
    if (zip) return this.#zips.read(zip.archive, zip.inside, maxBytes);
    try {
      return await loadUntrustedBytes(path, maxBytes);
    } catch (error) {
      if (error instanceof RefusedFile) return undefined;
      throw error;
    }
  }
}

/** Check that the path before `.zip` or `.jar` is a file, since folders can have such names too. */
function inZip(path: string): { readonly archive: string; readonly inside: string } | undefined {
  const zip = splitZipPath(path);
  return zip && statOf(zip.archive)?.isFile() === true ? zip : undefined;
}

function statOf(path: string): Stats | undefined {
  // Treat a path as missing if it contains NUL, leads through a file, or is in an unreadable folder.
  return attempt(() => statSync(path, { throwIfNoEntry: false }));
}

function realPathOf(path: string): string | undefined {
  return attempt(() => slashes(realpathSync.native(path)));
}

function slashes(path: string): string {
  return process.platform === "win32" ? path.replaceAll("\\", "/") : path;
}
