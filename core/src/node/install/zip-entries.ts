import type { Readable } from "node:stream";
import { crc32 } from "node:zlib";
import type { Entry } from "yauzl";
import type { ArchiveEntry } from "../../registry/install-archive.js";
import type { TakeEntry } from "./tar-entries.js";

/** The file type in UNIX permissions: its mask, and what it may be. */
const typeMask = 0o170000;
const typeOf = { file: 0o100000, folder: 0o040000, symlink: 0o120000 } as const;
/** No system takes longer paths. */
const maxTargetBytes = 4096;

/** Reads a zip archive and hands its members to `take`, one after the other, with every checksum verified. */
export async function readZip(file: string, take: TakeEntry): Promise<void> {
  // Once bundled, a CommonJS package has no other name than this.
  const { default: yauzl } = await import("yauzl");
  const zip = await yauzl.openPromise(file, { autoClose: false });
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.isEncrypted()) throw new Error(`its member "${entry.fileName}" is encrypted`);
      const content = (): AsyncIterable<Uint8Array> => verified(entry, () => zip.openReadStreamPromise(entry));
      await take(await toEntry(entry, content), content);
    }
  } finally {
    zip.close();
  }
}

async function toEntry(entry: Entry, content: () => AsyncIterable<Uint8Array>): Promise<ArchiveEntry> {
  const name = entry.fileName;
  const mode = entry.externalFileAttributes >>> 16;
  const type = mode & typeMask;
  if (type === typeOf.symlink) return { name, kind: "symlink", target: await readTarget(entry, content()) };
  if (type !== 0 && type !== typeOf.file && type !== typeOf.folder) return { name, kind: "device" };
  if (name.endsWith("/")) return { name, kind: "folder" };
  return { name, kind: type === typeOf.folder ? "folder" : "file", mode };
}

async function readTarget(entry: Entry, content: AsyncIterable<Uint8Array>): Promise<string> {
  if (entry.uncompressedSize > maxTargetBytes) throw new Error(`its link "${entry.fileName}" is too long`);
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}

/** The content, whose end fails where the checksum is another. Its size is checked by the reader. */
async function* verified(entry: Entry, open: () => Promise<Readable>): AsyncGenerator<Uint8Array, void> {
  let sum = 0;
  for await (const piece of (await open()) as AsyncIterable<Buffer>) {
    sum = crc32(piece, sum);
    yield piece;
  }
  if (sum !== entry.crc32) throw new Error(`its member "${entry.fileName}" is damaged`);
}
