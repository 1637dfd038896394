// Makes zip archives smaller than zlib can.
import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { fromBufferPromise } from "yauzl";
import { ZipFile } from "yazl";
import { root } from "../set-up.mjs";
import { time } from "./archives.mjs";
import { zopfliModule } from "./release-tools.mjs";

/** Minimum size of files for Zopfli, in bytes: smaller ones would save 500 bytes together. */
const zopfliFrom = 2_000;
/** Size in bytes up to which three blocks suffice: more take eight times as long, for 0.5 %. */
const small = 60_000;
const cache = join(root, ".cache/deflated");
const deflated = 8;

/** Compresses a zip archive again. Keeps names, order and modes. The same archive gives the same bytes. */
export async function compressTightly(archive) {
  const zip = new ZipFile();
  const old = await fromBufferPromise(await readFile(archive));
  const entries = [];
  for await (const entry of old.eachEntry()) {
    const content = await buffer(await old.openReadStreamPromise(entry));
    const mode = entry.externalFileAttributes >>> 16;
    const packed = await tightlyDeflated(content);
    entries.push({ packed, entry });
    const stored = packed ?? content;
    zip.addBuffer(stored, entry.fileName, { mtime: time.zip, mode, forceDosTimestamp: true, compress: false });
  }
  zip.end();
  const written = await buffer(zip.outputStream);
  markDeflated(written, entries);
  await writeFile(archive, written);
}

/** Returns the content as a raw deflate stream; undefined if that isn't smaller. */
async function tightlyDeflated(content) {
  const packed =
    content.length < zopfliFrom ? deflateRawSync(content, { level: 9, memLevel: 9 }) : await cachedZopfli(content);
  return packed.length < content.length ? packed : undefined;
}

/** Compresses with Zopfli, once for each content. */
async function cachedZopfli(content) {
  const file = join(cache, createHash("sha256").update(content).digest("hex"));
  const known = await readFile(file).catch(() => undefined);
  if (known && isDeflated(known, content)) return known;
  const zopfli = await zopfliModule();
  const options = { numiterations: 5, blocksplittingmax: content.length < small ? 3 : 15 };
  const packed = Buffer.from(await zopfli.deflateAsync(content, options));
  if (!isDeflated(packed, content)) throw new Error("Zopfli's output doesn't have the content that it was given.");
  await mkdir(cache, { recursive: true });
  const aside = `${file}.${process.pid}`;
  await writeFile(aside, packed);
  await rename(aside, file);
  return packed;
}

function isDeflated(packed, content) {
  try {
    return inflateRawSync(packed).equals(content);
  } catch {
    return false;
  }
}

/** Writes method, checksum and size of the content into both headers of each compressed entry, which were written as stored. */
function markDeflated(zip, entries) {
  // yazl writes no comment, so the end record is the last 22 bytes.
  let central = zip.readUInt32LE(zip.length - 22 + 16);
  for (const { packed, entry } of entries) {
    const local = zip.readUInt32LE(central + 42);
    if (packed !== undefined) {
      for (const [header, first] of [
        [central, 10],
        [local, 8],
      ]) {
        zip.writeUInt16LE(20, header + first - 4);
        zip.writeUInt16LE(deflated, header + first);
        zip.writeUInt32LE(entry.crc32, header + first + 6);
        zip.writeUInt32LE(entry.uncompressedSize, header + first + 14);
      }
    }
    const [name, extra, comment] = [28, 30, 32].map((at) => zip.readUInt16LE(central + at));
    central += 46 + name + extra + comment;
  }
}
