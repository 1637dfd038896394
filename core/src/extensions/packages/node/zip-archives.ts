import { stat } from "node:fs/promises";
import type { Entry } from "yauzl";
import { loadUntrustedBytes } from "../../../base/node/read-untrusted-file.js";
import type { FolderEntry } from "../package-files.js";

interface Archive {
  /** The archive's files by path, and its folders by path without a trailing slash. */
  readonly files: ReadonlyMap<string, Entry>;
  readonly folders: ReadonlyMap<string, readonly FolderEntry[]>;
}

const maxArchiveBytes = 256 * 1024 * 1024;
/** Maximum entries per archive, ten times as many as in a JDK's source archive. */
const maxEntries = 300_000;
/** Maximum folder nesting in an archive, deeper than in published archives. */
const maxDepth = 100;
/** Maximum cached entries of all archives together. An entry takes about half a kilobyte. */
const maxKeptEntries = 100_000;
const maxKept = 300;

/** Splits `…/x.zip/inside` or `…/x.jar/inside` into the archive and the path in it. */
export function splitZipPath(path: string): { readonly archive: string; readonly inside: string } | undefined {
  const at = path.search(/\.(?:zip|jar)(?:\/|$)/);
  return at < 0 ? undefined : { archive: path.slice(0, at + 4), inside: path.slice(at + 5).replace(/\/+$/, "") };
}

/** Presents zip archives as folders. Caches file lists but no contents, and omits links. */
export class ZipArchives {
  readonly #known = new Map<string, { readonly stamp: string; readonly archive: Promise<Archive | undefined> }>();

  /** Returns undefined if the file isn't a zip archive or is too large. */
  async open(path: string): Promise<Archive | undefined> {
    const facts = await stat(path).catch(() => undefined);
    if (facts?.isFile() !== true || facts.size > maxArchiveBytes) return undefined;
    const stamp = `${facts.mtimeMs} ${facts.size}`;
    const known = this.#known.get(path);
    const archive = known?.stamp === stamp ? known.archive : readArchive(path).catch(() => undefined);
    this.#known.delete(path);
    this.#known.set(path, { stamp, archive });
    if (known?.archive !== archive) await this.#makeRoom(path);
    return archive;
  }

  async read(path: string, inside: string, maxBytes: number): Promise<Buffer | undefined> {
    const archive = await this.open(path);
    const entry = archive?.files.get(inside);
    if (!archive || !entry || entry.uncompressedSize > maxBytes) return undefined;
    const { default: yauzl } = await import("yauzl");
    const zip = await yauzl.openPromise(path, { autoClose: false, lazyEntries: true });
    try {
      const pieces: Buffer[] = [];
      // yauzl checks the extracted size against the size in the archive's directory.
      for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece as Buffer);
      return Buffer.concat(pieces);
    } finally {
      zip.close();
    }
  }

  /** Drops the least recently used archives until the cache is small enough. */
  async #makeRoom(path: string): Promise<void> {
    const all = await Promise.all(
      [...this.#known].map(async ([key, { archive }]) => ({ key, size: (await archive)?.files.size ?? 0 })),
    );
    let [count, total] = [0, 0];
    for (const { key, size } of all.toReversed()) {
      total += size;
      count++;
      if ((total > maxKeptEntries || count > maxKept) && key !== path) this.#known.delete(key);
    }
  }
}

/** Reads the whole archive into memory to list its files, since reading each entry from disk would take two reads. */
async function readArchive(path: string): Promise<Archive> {
  // After bundling, a CommonJS package has only a default export.
  const { default: yauzl } = await import("yauzl");
  const zip = await yauzl.fromBufferPromise(await loadUntrustedBytes(path, maxArchiveBytes));
  if (zip.entryCount > maxEntries) throw new Error(`more than ${maxEntries} entries`);
  const files = new Map<string, Entry>();
  const folders = new Map<string, Map<string, FolderEntry>>([["", new Map()]]);
  const addFolder = (folder: string): Map<string, FolderEntry> => {
    const known = folders.get(folder);
    if (known) return known;
    const made = new Map<string, FolderEntry>();
    folders.set(folder, made);
    const [parent, name] = split(folder);
    addFolder(parent).set(name, { name, kind: "folder" });
    return made;
  };
  for await (const entry of zip.eachEntry()) {
    const isLink = ((entry.externalFileAttributes >>> 16) & 0o170000) === 0o120000;
    if (isLink || entry.isEncrypted() || entry.fileName.split("/", maxDepth + 1).length > maxDepth) continue;
    const name = entry.fileName.replace(/\/+$/, "");
    if (entry.fileName.endsWith("/")) {
      addFolder(name);
      continue;
    }
    const [parent, own] = split(name);
    files.set(name, entry);
    addFolder(parent).set(own, { name: own, kind: "file" });
  }
  const sorted = (entries: Map<string, FolderEntry>): FolderEntry[] =>
    [...entries.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
  return { files, folders: new Map([...folders].map(([folder, entries]) => [folder, sorted(entries)])) };
}

function split(path: string): readonly [parent: string, name: string] {
  const at = path.lastIndexOf("/");
  return [path.slice(0, Math.max(at, 0)), path.slice(at + 1)];
}
