import type { ArchiveEntry } from "../../registry/install-archive.js";
import { ByteReader } from "./byte-reader.js";
import { paxRecords, readTarHeader, type TarHeader } from "./tar-header.js";

/** Takes one member with its content, which may be left unread. */
export type TakeEntry = (entry: ArchiveEntry, content: () => AsyncIterable<Uint8Array>) => Promise<void>;

/** Of names and other records in front of a member. */
const maxRecordBytes = 1024 * 1024;

/** Far more than any archiver fills up its last record with. */
const maxPaddingBytes = 1024 * 1024;

const kinds: Readonly<Partial<Record<string, ArchiveEntry["kind"]>>> = {
  "0": "file",
  "\0": "file",
  "7": "file",
  "1": "hardlink",
  "2": "symlink",
  "5": "folder",
};

/**
 * Reads an uncompressed tar archive (ustar, pax, GNU's long names) and hands its members to `take`, one after the
 * other. Rejects where the archive is damaged, or where readers could disagree about what it says.
 */
export async function readTar(source: AsyncIterable<Uint8Array>, take: TakeEntry): Promise<void> {
  const reader = new ByteReader(source);
  try {
    let records = new Map<string, string>();
    for (;;) {
      const header = readTarHeader(await reader.take(512));
      if (header === undefined) {
        await skipPadding(reader);
        return;
      }
      const { type, size } = header;
      if (/[xgLK]/.test(type)) {
        if (size > maxRecordBytes) throw new Error(`a record in front of a member has ${size} bytes`);
        const data = await takeWhole(reader, size);
        await takeWhole(reader, paddingOf(size));
        if (type === "x") records = new Map([...records, ...paxRecords(data)]);
        else if (type !== "g")
          records.set(type === "L" ? "path" : "linkpath", data.toString("utf8").replace(/\0.*$/s, ""));
        continue;
      }
      await takeMember(reader, header, records, take);
      records = new Map();
    }
  } finally {
    await reader.close();
  }
}

/** To the very end, because only there a compressed archive tells whether it is whole. */
async function skipPadding(reader: ByteReader): Promise<void> {
  const { length } = await reader.take(maxPaddingBytes + 1);
  if (length > maxPaddingBytes) throw new Error("it goes on behind its end");
}

async function takeMember(
  reader: ByteReader,
  header: TarHeader,
  records: ReadonlyMap<string, string>,
  take: TakeEntry,
): Promise<void> {
  const name = records.get("path") ?? header.name;
  const sparse = [...records.keys()].some((key) => key.startsWith("GNU.sparse."));
  // Before there was a kind for folders, they were files with a slash at the end.
  const isOldFolder = header.type !== "5" && name.endsWith("/") && kinds[header.type] === "file";
  const kind = sparse ? "device" : isOldFolder ? "folder" : (kinds[header.type] ?? "device");
  const size = kind === "folder" ? 0 : Number(records.get("size") ?? header.size);
  if (!Number.isSafeInteger(size) || size < 0 || (kind !== "file" && kind !== "device" && size > 0)) {
    throw new Error(`its member "${name}" has an impossible size`);
  }
  const target = records.get("linkpath") ?? header.linkName;
  let left = size;
  async function* content(): AsyncGenerator<Uint8Array, void> {
    for await (const piece of reader.pieces(left)) {
      left -= piece.length;
      yield piece;
    }
    if (left > 0) throw new Error(`it ends within its member "${name}"`);
  }
  await take({ name, kind, mode: header.mode, target }, content);
  for await (const _ of content());
  await takeWhole(reader, paddingOf(size));
}

async function takeWhole(reader: ByteReader, count: number): Promise<Buffer> {
  const data = await reader.take(count);
  if (data.length < count) throw new Error("it ends too early");
  return data;
}

/** Everything fills whole blocks. */
function paddingOf(size: number): number {
  return (512 - (size % 512)) % 512;
}
