import type { Extract, Header } from "tar-stream";
import type { ArchiveEntry } from "./archive-tree.js";
import { asObject } from "../../rpc/json.js";
import type { Readable } from "node:stream";
import { crc32 } from "node:zlib";
import type { Entry } from "yauzl";

/** Takes one member with its content, which may be left unread. */
export type TakeEntry = (entry: ArchiveEntry, content: () => AsyncIterable<Uint8Array>) => Promise<void>;

/** Of names and other records in front of a member, and of what fills up the end: far more than any archiver writes. */
const maxRecordBytes = 1024 * 1024;
/** One record is a name, a time, an attribute of a file. */
const maxRecords = 256;

const kinds: Readonly<Partial<Record<string, ArchiveEntry["kind"]>>> = {
  file: "file",
  "contiguous-file": "file",
  link: "hardlink",
  symlink: "symlink",
  directory: "folder",
};

/**
 * Reads an uncompressed tar archive (ustar, pax, GNU's long names) and hands its members to `take`, one after the
 * other. Rejects where the archive is damaged, where readers could disagree about what it says, and soon after `signal`
 * is aborted.
 */
export async function readTar(source: AsyncIterable<Uint8Array>, take: TakeEntry, signal: AbortSignal): Promise<void> {
  // Once bundled, a CommonJS package has no other name than this.
  const { default: tar } = await import("tar-stream");
  const members = tar.extract({ allowUnknownFormat: true } as object);
  const place = new Place();
  members.on("error", (error) => (place.failure ??= error));
  const feeding = feed(members, source, place, signal);
  try {
    for await (const member of members) {
      place.enter(member.header);
      const entry = tarEntry(member.header);
      let isRead = false as boolean;
      const content = (): AsyncIterable<Uint8Array> => {
        isRead = true;
        return member as AsyncIterable<Uint8Array>;
      };
      await take(entry, content);
      if (!isRead) for await (const _ of member) signal.throwIfAborted();
    }
  } catch (thrown) {
    signal.throwIfAborted();
    throw place.explained(thrown);
  } finally {
    members.destroy();
    await feeding;
  }
}

/** Where reading is, which says how much stands between two members, and in which one an archive ends. */
class Place {
  fed = 0;
  /** Why the reader failed; the member that it failed in knows only that it did. */
  failure: Error | undefined;
  #member: string | undefined;
  #end = 0;

  enter(header: Header): void {
    const { byteOffset = 0 } = header as { byteOffset?: number };
    this.#member = header.name;
    this.#end = byteOffset + (header.type === "directory" ? 0 : Math.ceil(header.size / 512) * 512);
  }

  /** Throws where all that was fed is read and is no member any more. */
  check(): void {
    if (this.fed - this.#end <= maxRecordBytes) return;
    throw new Error("it goes on behind its end, or has more than a megabyte of records in front of a member");
  }

  /** What the reader complains about, in our words. */
  explained(caught: unknown): unknown {
    const isLate = caught instanceof Error && "code" in caught && caught.code === "STREAM_DESTROYED";
    const thrown = isLate ? (this.failure ?? caught) : caught;
    if (!(thrown instanceof Error)) return thrown;
    if (/^(?:Invalid tar header|Invalid header)/.test(thrown.message)) {
      return new Error("it is no tar archive, or damaged");
    }
    if (thrown.message === "Header exceeds max size") return new Error("a record in front of a member is too large");
    if (thrown.message !== "Unexpected end of data") return thrown;
    const where = this.fed < this.#end ? ` its member "${this.#member ?? ""}"` : " a header";
    return new Error(`it ends within${where}`);
  }
}

/** Gives the reader what it asks for, and ends it when that fails. Never rejects. */
async function feed(
  members: Extract,
  source: AsyncIterable<Uint8Array>,
  place: Place,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const piece of source) {
      if (members.destroyed) return;
      place.fed += piece.length;
      // It wants more once it has read all of this, with the content of its members.
      if (!members.write(piece)) await untilDrained(members);
      signal.throwIfAborted();
      place.check();
    }
    members.end(undefined);
  } catch (thrown) {
    members.destroy(thrown instanceof Error ? thrown : new Error(String(thrown)));
  }
}

function untilDrained(members: Extract): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      members.off("drain", end).off("close", end);
      resolve();
    };
    members.on("drain", end).on("close", end);
    if (members.destroyed) end();
  });
}

function tarEntry({ name, type, size, mode, linkname, pax }: Header): ArchiveEntry {
  const records = Object.keys(asObject(pax) ?? {});
  if (records.length > maxRecords) throw new Error(`its member "${name}" has more than ${maxRecords} records`);
  const isSparse = records.some((key) => key.startsWith("GNU.sparse."));
  const known = isSparse ? "device" : (kinds[type] ?? "device");
  // Before there was a kind for folders, they were files with a slash at the end.
  const kind = known === "file" && name.endsWith("/") ? "folder" : known;
  const isEmpty = type === "directory" || size === 0;
  if (!Number.isSafeInteger(size) || (kind !== "file" && kind !== "device" && !isEmpty)) {
    throw new Error(`its member "${name}" has an impossible size`);
  }
  return { name, kind, mode, target: linkname };
}

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
      await take(await zipEntry(entry, content), content);
    }
  } finally {
    zip.close();
  }
}

async function zipEntry(entry: Entry, content: () => AsyncIterable<Uint8Array>): Promise<ArchiveEntry> {
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
