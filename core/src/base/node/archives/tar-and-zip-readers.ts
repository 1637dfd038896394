import type { Extract, Header } from "tar-stream";
import type { ArchiveEntry } from "./archive-tree.js";
import { asObject } from "../../rpc/json.js";
import type { Readable } from "node:stream";
import { crc32 } from "node:zlib";
import type { Entry } from "yauzl";

export type TakeEntry = (entry: ArchiveEntry, content: () => AsyncIterable<Uint8Array>) => Promise<void>;

/** Limit for the records before a member, such as names, and for padding at the end. Archivers write far less. */
const maxRecordBytes = 1024 * 1024;
/** Limit for the number of records, each a name, time or attribute. */
const maxRecords = 256;

const kinds: Readonly<Partial<Record<string, ArchiveEntry["kind"]>>> = {
  file: "file",
  "contiguous-file": "file",
  link: "hardlink",
  symlink: "symlink",
  directory: "folder",
};

/**
 * Reads an uncompressed tar archive (ustar, pax, GNU long names) and passes its members to `take` in sequence. Rejects if the archive is
 * damaged or ambiguous to different readers, or soon after `signal` aborts.
 */
export async function readTar(source: AsyncIterable<Uint8Array>, take: TakeEntry, signal: AbortSignal): Promise<void> {
  // A bundled CommonJS package has only a default export.
  const { default: tar } = await import("tar-stream");
  const members = tar.extract({ allowUnknownFormat: true } as object);
  const place = new ArchivePosition();
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

/** Read position in the archive, for limiting the bytes between members and for naming the member in errors. */
class ArchivePosition {
  fed = 0;
  /** Cause of a reader failure; the failing member only reports a destroyed stream. */
  failure: Error | undefined;
  #member: string | undefined;
  #end = 0;

  enter(header: Header): void {
    const { byteOffset = 0 } = header as { byteOffset?: number };
    this.#member = header.name;
    this.#end = byteOffset + (header.type === "directory" ? 0 : Math.ceil(header.size / 512) * 512);
  }

  /** Throws if too much input belongs to no member. */
  check(): void {
    if (this.fed - this.#end <= maxRecordBytes) return;
    throw new Error("it continues after its end, or has more than a megabyte of records before a member");
  }

  explained(caught: unknown): unknown {
    const isLate = caught instanceof Error && "code" in caught && caught.code === "STREAM_DESTROYED";
    const thrown = isLate ? (this.failure ?? caught) : caught;
    if (!(thrown instanceof Error)) return thrown;
    if (/^(?:Invalid tar header|Invalid header)/.test(thrown.message)) {
      return new Error("it isn't a tar archive, or it is damaged");
    }
    if (thrown.message === "Header exceeds max size") return new Error("a record before a member is too large");
    if (thrown.message !== "Unexpected end of data") return thrown;
    const where = this.fed < this.#end ? ` its member "${this.#member ?? ""}"` : " a header";
    return new Error(`it ends within${where}`);
  }
}

/** Feeds the archive to the reader as fast as the reader takes it, and ends the reader on failure. Never rejects. */
async function feed(
  members: Extract,
  source: AsyncIterable<Uint8Array>,
  place: ArchivePosition,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const piece of source) {
      if (members.destroyed) return;
      place.fed += piece.length;
      // The reader drains after it has consumed this piece, including the members' content.
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
  // Old tar formats mark folders by a trailing slash.
  const kind = known === "file" && name.endsWith("/") ? "folder" : known;
  const isEmpty = type === "directory" || size === 0;
  if (!Number.isSafeInteger(size) || (kind !== "file" && kind !== "device" && !isEmpty)) {
    throw new Error(`its member "${name}" has an impossible size`);
  }
  return { name, kind, mode, target: linkname };
}

/** Mask and values of the file type in UNIX permissions. */
const typeMask = 0o170000;
const typeOf = { file: 0o100000, folder: 0o040000, symlink: 0o120000 } as const;
/** Maximum length of a link target in bytes; longer paths aren't valid on any system. */
const maxTargetBytes = 4096;

/** Reads a zip archive and passes its members to `take` in sequence. Verifies every checksum. */
export async function readZip(file: string, take: TakeEntry): Promise<void> {
  // A bundled CommonJS package has only a default export.
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

/** Yields the content and throws at the end if the checksum differs. The reader checks the size. */
async function* verified(entry: Entry, open: () => Promise<Readable>): AsyncGenerator<Uint8Array, void> {
  let sum = 0;
  for await (const piece of (await open()) as AsyncIterable<Buffer>) {
    sum = crc32(piece, sum);
    yield piece;
  }
  if (sum !== entry.crc32) throw new Error(`its member "${entry.fileName}" is damaged`);
}
