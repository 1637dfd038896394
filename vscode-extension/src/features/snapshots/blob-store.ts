import { createHash, randomBytes } from "node:crypto";
import { closeSync, constants, mkdirSync, openSync, readdirSync, readSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import * as zlib from "node:zlib";
import { AppendOnlyFile } from "./append-only-file.js";

declare module "node:zlib" {
  // zstd needs a third of the time of deflate, but is undefined before Node 22.15.
  const zstdCompressSync: ((content: Uint8Array, options: { params: Record<number, number> }) => Buffer) | undefined;
  const zstdDecompressSync: ((content: Uint8Array) => Buffer) | undefined;
}

interface BlobPlace {
  readonly pack: string;
  readonly offset: number;
  readonly length: number;
  readonly rawLength: number;
  readonly encoding: number;
}

/** Length of the header of each stored content: hash (32 bytes), encoding (1), stored and raw length (4 each). */
const headerLength = 41;
const encodings = { raw: 0, deflate: 1, zstd: 2 } as const;
const zstdLevel = 100;

/** Number of bytes to buffer before writing. */
const bufferedBytes = 4 * 1024 * 1024;
/**
 * Maximum compressed size as a fraction. If the start of a large content doesn't compress below this fraction, the content is stored
 * uncompressed.
 */
const worthwhile = 0.9;
const probeBytes = 32 * 1024;
const largeBytes = 512 * 1024;
/** Maximum size of a pack file, so that cleaning rewrites only some of them. */
const maxPackBytes = 64 * 1024 * 1024;

const packName = /^[\da-z-]+\.pack$/;

/**
 * Content-addressed store (SHA-256) with compressed contents in a few append-only files. Only one process may write; incomplete writes of a
 * killed process are ignored.
 */
export class BlobStore {
  readonly #places = new Map<string, BlobPlace>();
  #bytes = 0;
  #open: { readonly name: string; readonly file: AppendOnlyFile } | undefined;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  /** Hashes of contents that aren't written yet. They are dropped if writing fails. */
  #pendingHashes: string[] = [];

  constructor(private readonly folder: string) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(folder).sort()) if (packName.test(name)) this.#scan(name);
  }

  get bytes(): number {
    return this.#bytes;
  }

  has(hash: string): boolean {
    return this.#places.has(hash);
  }

  sizeOf(hash: string): number {
    const place = this.#places.get(hash);
    return place ? place.length + headerLength : 0;
  }

  /** Adds a content with its hash. The content can be read immediately, and is on disk after {@link flush}. Throws the system's error. */
  add(hash: string, content: Uint8Array): void {
    if (this.#places.has(hash)) return;
    const { encoding, bytes } = encoded(content);
    this.#append(hash, encoding, content.length, bytes);
  }

  /** Returns the content with a hash; undefined if it is missing or damaged. */
  read(hash: string): Buffer | undefined {
    const place = this.#places.get(hash);
    if (!place) return undefined;
    this.flush();
    try {
      const bytes = decoded(place.encoding, this.#stored(place));
      return createHash("sha256").update(bytes).digest("hex") === hash ? bytes : undefined;
    } catch {
      return undefined;
    }
  }

  /** Writes pending contents. On failure, drops them and throws the system's error. */
  flush(): void {
    if (this.#pendingBytes === 0 || !this.#open) return;
    try {
      this.#open.file.append(Buffer.concat(this.#pending));
      this.#bytes += this.#pendingBytes;
    } catch (error) {
      for (const hash of this.#pendingHashes) this.#places.delete(hash);
      throw error;
    } finally {
      this.#pending = [];
      this.#pendingHashes = [];
      this.#pendingBytes = 0;
    }
  }

  /** Deletes all contents except those with the given hashes. If it throws the system's error, none of the given contents is lost. */
  keepOnly(hashes: ReadonlySet<string>): void {
    this.close();
    const packs = new Map<string, [string, BlobPlace][]>();
    for (const [hash, place] of this.#places) {
      const ofPack = packs.get(place.pack);
      if (ofPack) ofPack.push([hash, place]);
      else packs.set(place.pack, [[hash, place]]);
    }
    for (const [pack, ofPack] of packs) {
      const kept = ofPack.filter(([hash]) => hashes.has(hash));
      if (kept.length === ofPack.length) continue;
      const packed = ofPack.reduce((sum, [, { length }]) => sum + length + headerLength, 0);
      const places = new Map(ofPack);
      for (const [hash] of ofPack) this.#places.delete(hash);
      try {
        for (const [hash, place] of kept) this.#append(hash, place.encoding, place.rawLength, this.#stored(place));
        this.flush();
      } catch (error) {
        for (const [hash, place] of places) this.#places.set(hash, place);
        throw error;
      }
      rmSync(join(this.folder, pack), { force: true });
      this.#bytes -= packed;
    }
    this.#removeShadowed();
  }

  /** Deletes pack files that contain no used content. They are left if a process is killed while it moves contents. */
  #removeShadowed(): void {
    const used = new Set([...this.#places.values()].map(({ pack }) => pack));
    for (const name of readdirSync(this.folder)) {
      if (!packName.test(name) || used.has(name)) continue;
      const { size } = statSync(join(this.folder, name));
      rmSync(join(this.folder, name), { force: true });
      this.#bytes -= size;
    }
  }

  close(): void {
    this.flush();
    this.#open = undefined;
  }

  #append(hash: string, encoding: number, rawLength: number, bytes: Uint8Array): void {
    if (this.#open && this.#open.file.size + this.#pendingBytes > maxPackBytes) this.close();
    this.#open ??= this.#newPack();
    const header = Buffer.alloc(headerLength);
    header.write(hash, 0, "hex");
    header.writeUInt8(encoding, 32);
    header.writeUInt32LE(bytes.length, 33);
    header.writeUInt32LE(rawLength, 37);
    const offset = this.#open.file.size + this.#pendingBytes + headerLength;
    this.#places.set(hash, { pack: this.#open.name, offset, length: bytes.length, rawLength, encoding });
    this.#pending.push(header, bytes);
    this.#pendingHashes.push(hash);
    this.#pendingBytes += headerLength + bytes.length;
    if (this.#pendingBytes > bufferedBytes) this.flush();
  }

  #newPack(): { name: string; file: AppendOnlyFile } {
    const name = `${Date.now().toString(36)}-${randomBytes(4).toString("hex")}.pack`;
    return { name, file: new AppendOnlyFile(join(this.folder, name), 0) };
  }

  #stored({ pack, offset, length }: BlobPlace): Buffer {
    const descriptor = openSync(join(this.folder, pack), "r");
    try {
      const bytes = Buffer.alloc(length);
      if (readSync(descriptor, bytes, 0, length, offset) < length) throw new Error(`${pack} is truncated`);
      return bytes;
    } finally {
      closeSync(descriptor);
    }
  }

  #scan(name: string): void {
    // Don't follow a link that someone may have put in place of the file.
    const descriptor = openSync(join(this.folder, name), constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const header = Buffer.alloc(headerLength);
      let at = 0;
      while (readSync(descriptor, header, 0, headerLength, at) === headerLength) {
        const length = header.readUInt32LE(33);
        const offset = at + headerLength;
        if (length > 0 && readSync(descriptor, Buffer.alloc(1), 0, 1, offset + length - 1) !== 1) break;
        this.#places.set(header.toString("hex", 0, 32), {
          pack: name,
          offset,
          length,
          rawLength: header.readUInt32LE(37),
          encoding: header.readUInt8(32),
        });
        at = offset + length;
      }
      this.#bytes += at;
      if (at === 0) rmSync(join(this.folder, name), { force: true });
    } finally {
      closeSync(descriptor);
    }
  }
}

function encoded(content: Uint8Array): { readonly encoding: number; readonly bytes: Uint8Array } {
  const isLarge = content.length > largeBytes;
  const isWorthwhile = !isLarge || compressed(content.subarray(0, probeBytes)).length < probeBytes * worthwhile;
  const bytes = isWorthwhile && content.length >= 64 ? compressed(content) : content;
  // Copy the bytes, since the caller may reuse its buffer.
  if (bytes.length >= content.length) return { encoding: encodings.raw, bytes: Uint8Array.from(content) };
  return { encoding: zlib.zstdCompressSync ? encodings.zstd : encodings.deflate, bytes };
}

function compressed(content: Uint8Array): Uint8Array {
  return zlib.zstdCompressSync?.(content, { params: { [zstdLevel]: 1 } }) ?? zlib.deflateRawSync(content, { level: 1 });
}

function decoded(encoding: number, bytes: Buffer): Buffer {
  if (encoding === encodings.raw) return bytes;
  if (encoding === encodings.deflate) return zlib.inflateRawSync(bytes);
  if (encoding === encodings.zstd && zlib.zstdDecompressSync) return zlib.zstdDecompressSync(bytes);
  throw new Error(`contents with the encoding ${encoding} can't be read here`);
}
