const blockMagic = 0x314159265359;
const endMagic = 0x177245385090;
const groupLength = 50;
const maxCodeLength = 20;
/** Upper bound for a compressed block: 900,000 symbols of at most 20 bits, plus tables. */
const maxBlockBytes = 2_400_000;
const pieceBytes = 256 * 1024;

/**
 * Decompresses bzip2, including concatenated streams, and verifies every checksum. Works block by block at the reader's pace, so that a
 * decompression bomb uses bounded memory.
 */
export async function* bunzip2(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
  const bits = new Bzip2Bits(source);
  await bits.fill(4);
  do {
    const blockSize = readStreamHeader(bits);
    let streamCrc = 0;
    for (;;) {
      await bits.fill(maxBlockBytes);
      const magic = bits.take(24) * 0x1000000 + bits.take(24);
      if (magic === endMagic) break;
      if (magic !== blockMagic) throw damaged("a block has no beginning");
      const expected = bits.takeWord();
      const crc = yield* unpacked(readBlock(bits, blockSize));
      if (crc !== expected) throw damaged("a checksum does not match");
      streamCrc = (((streamCrc << 1) | (streamCrc >>> 31)) ^ crc) >>> 0;
    }
    if (bits.takeWord() !== streamCrc) throw damaged("the last checksum does not match");
    bits.align();
    await bits.fill(4);
  } while (bits.continuesWith("BZh"));
}

function readStreamHeader(bits: Bzip2Bits): number {
  const isBzip2 = bits.take(24) === 0x425a68;
  const level = bits.take(8) - 0x30;
  if (!isBzip2 || level < 1 || level > 9) throw damaged("it isn't a bzip2 file");
  return level * 100_000;
}

/** Block after the Burrows-Wheeler transform. Each item combines a byte and, above it, the index of the next item. */
interface Block {
  readonly items: Uint32Array;
  readonly start: number;
}

function readBlock(bits: Bzip2Bits, blockSize: number): Block {
  if (bits.take(1) === 1) throw damaged("it uses an obsolete block format");
  const origin = bits.take(24);
  const bytes = readUsedBytes(bits);
  const alphabet = bytes.length + 2;
  const groups = bits.take(3);
  if (groups < 2 || groups > 6) throw damaged("a table is wrong");
  const selectors = readSelectors(bits, groups);
  const codes = Array.from({ length: groups }, () => readCode(bits, alphabet));
  const items = new Uint32Array(blockSize);
  const counts = new Uint32Array(256);
  const length = readSymbols(bits, { bytes, selectors, codes, items, counts });
  if (origin >= length) throw damaged("a block has no beginning");
  linkItems(items, counts, length);
  return { items: items.subarray(0, length), start: origin };
}

function readUsedBytes(bits: Bzip2Bits): number[] {
  const rows = bits.take(16);
  const bytes: number[] = [];
  for (let row = 0; row < 16; row++) {
    if ((rows & (0x8000 >> row)) === 0) continue;
    const columns = bits.take(16);
    for (let column = 0; column < 16; column++) if (columns & (0x8000 >> column)) bytes.push(row * 16 + column);
  }
  if (bytes.length === 0) throw damaged("a block is empty");
  return bytes;
}

function readSelectors(bits: Bzip2Bits, groups: number): Uint8Array {
  const selectors = new Uint8Array(bits.take(15));
  if (selectors.length === 0) throw damaged("a table is missing");
  const order = Array.from({ length: groups }, (_, index) => index);
  for (let index = 0; index < selectors.length; index++) {
    let place = 0;
    while (bits.take(1) === 1) if (++place >= groups) throw damaged("a table is wrong");
    const [group = 0] = order.splice(place, 1);
    order.unshift(group);
    selectors[index] = group;
  }
  return selectors;
}

/** Canonical Huffman code. A table decodes short codes; longer codes are compared by length. */
interface Code {
  /** Symbol with its code length in the low five bits, indexed by the next {@link tableBits} bits; 0 if none. */
  readonly table: Uint16Array;
  /** Largest code of each length. */
  readonly limits: Int32Array;
  /** Difference between code and symbol index, for each length. */
  readonly offsets: Int32Array;
  readonly symbols: Uint16Array;
}

const tableBits = 10;

function readCode(bits: Bzip2Bits, alphabet: number): Code {
  const lengths = new Uint8Array(alphabet);
  let length = bits.take(5);
  for (let symbol = 0; symbol < alphabet; symbol++) {
    for (;;) {
      if (length < 1 || length > maxCodeLength) throw damaged("a table is wrong");
      if (bits.take(1) === 0) break;
      length += bits.take(1) === 0 ? 1 : -1;
    }
    lengths[symbol] = length;
  }
  return toCode(lengths);
}

function toCode(lengths: Uint8Array): Code {
  const table = new Uint16Array(1 << tableBits);
  const limits = new Int32Array(maxCodeLength + 1).fill(-1);
  const offsets = new Int32Array(maxCodeLength + 1);
  const symbols = new Uint16Array(lengths.length);
  let code = 0;
  let filled = 0;
  for (let size = 1; size <= maxCodeLength; size++) {
    offsets[size] = filled - code;
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] !== size) continue;
      if (size <= tableBits) {
        const first = code << (tableBits - size);
        table.fill((symbol << 5) | size, first, first + (1 << (tableBits - size)));
      }
      symbols[filled++] = symbol;
      code++;
    }
    limits[size] = code - 1;
    code <<= 1;
  }
  return { table, limits, offsets, symbols };
}

function readSymbol(bits: Bzip2Bits, { table, limits, offsets, symbols }: Code): number {
  const short = table[bits.peek(tableBits)] ?? 0;
  if (short !== 0) {
    bits.take(short & 31);
    return short >> 5;
  }
  let code = bits.take(tableBits);
  for (let size = tableBits + 1; size <= maxCodeLength; size++) {
    code = (code << 1) | bits.take(1);
    if (code > (limits[size] ?? -1)) continue;
    const symbol = symbols[code + (offsets[size] ?? 0)];
    if (symbol !== undefined) return symbol;
  }
  throw damaged("it contains an unknown code");
}

interface Symbols {
  readonly bytes: number[];
  readonly selectors: Uint8Array;
  readonly codes: readonly Code[];
  readonly items: Uint32Array;
  readonly counts: Uint32Array;
}

/** Decodes Huffman codes, run lengths and the move-to-front list. Returns the number of items. */
function readSymbols(bits: Bzip2Bits, { bytes, selectors, codes, items, counts }: Symbols): number {
  const last = bytes.length + 1;
  const front = Uint8Array.from(bytes);
  let length = 0;
  let run = 0;
  let weight = 1;
  for (let index = 0; ; index++) {
    const code = codes[selectors[Math.floor(index / groupLength)] ?? -1];
    if (code === undefined) throw damaged("a block does not end");
    const symbol = readSymbol(bits, code);
    if (symbol <= 1) {
      run += weight << symbol;
      weight <<= 1;
      if (run > items.length) throw damaged("a block is too long");
      continue;
    }
    if (run > 0) {
      const byte = front[0] ?? 0;
      if (length + run > items.length) throw damaged("a block is too long");
      items.fill(byte, length, length + run);
      counts[byte] = (counts[byte] ?? 0) + run;
      length += run;
      run = 0;
      weight = 1;
    }
    if (symbol === last) return length;
    const byte = front[symbol - 1] ?? 0;
    front.copyWithin(1, 0, symbol - 1);
    front[0] = byte;
    if (length >= items.length) throw damaged("a block is too long");
    items[length++] = byte;
    counts[byte] = (counts[byte] ?? 0) + 1;
  }
}

function linkItems(items: Uint32Array, counts: Uint32Array, length: number): void {
  let sum = 0;
  for (let byte = 0; byte < 256; byte++) {
    const count = counts[byte] ?? 0;
    counts[byte] = sum;
    sum += count;
  }
  for (let index = 0; index < length; index++) {
    const byte = (items[index] ?? 0) & 0xff;
    const place = counts[byte] ?? 0;
    counts[byte] = place + 1;
    items[place] = (items[place] ?? 0) | (index << 8);
  }
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  return crc >>> 0;
});

/** Yields the block's bytes with the initial run-length encoding undone. Returns their checksum. */
function* unpacked({ items, start }: Block): Generator<Buffer, number> {
  let piece = Buffer.allocUnsafe(pieceBytes);
  let filled = 0;
  let crc = 0xffffffff;
  let same = 0;
  let previous = -1;
  let next = (items[start] ?? 0) >>> 8;
  for (let done = 0; done < items.length; done++) {
    const item = items[next] ?? 0;
    const byte = item & 0xff;
    next = item >>> 8;
    // After four equal bytes, the next byte is a repeat count.
    const count = same === 4 ? byte : 1;
    const value = same === 4 ? previous : byte;
    same = same === 4 ? 0 : byte === previous ? same + 1 : 1;
    if (same !== 0) previous = byte;
    else previous = -1;
    for (let repeat = 0; repeat < count; repeat++) {
      piece[filled++] = value;
      crc = ((crc << 8) ^ (crcTable[((crc >>> 24) ^ value) & 0xff] ?? 0)) >>> 0;
    }
    if (filled < pieceBytes - 256) continue;
    yield piece.subarray(0, filled);
    piece = Buffer.allocUnsafe(pieceBytes);
    filled = 0;
  }
  if (filled > 0) yield piece.subarray(0, filled);
  return ~crc >>> 0;
}

function damaged(reason: string): Error {
  return new Error(`The bzip2 data is damaged: ${reason}.`);
}

class Bzip2Bits {
  readonly #source: AsyncIterator<Uint8Array, unknown>;
  #bytes: Buffer = Buffer.alloc(0);
  #position = 0;
  #kept = 0;
  #keptBits = 0;
  #hasEnded = false;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, unknown>;
  }

  async fill(count: number): Promise<void> {
    const pieces: Uint8Array[] = [this.#bytes.subarray(this.#position)];
    let length = pieces[0]?.length ?? 0;
    if (length >= count || this.#hasEnded) return;
    while (length < count) {
      const next = await this.#source.next();
      if (next.done === true) {
        this.#hasEnded = true;
        break;
      }
      pieces.push(next.value);
      length += next.value.length;
    }
    this.#bytes = Buffer.concat(pieces);
    this.#position = 0;
  }

  /** Consumes `count` bits, at most 24. */
  take(count: number): number {
    while (this.#keptBits < count) {
      const byte = this.#bytes[this.#position++];
      if (byte === undefined) throw damaged("it ends too early");
      this.#kept = ((this.#kept << 8) | byte) >>> 0;
      this.#keptBits += 8;
    }
    this.#keptBits -= count;
    const value = this.#kept >>> this.#keptBits;
    this.#kept &= (1 << this.#keptBits) - 1;
    return value;
  }

  /** Returns the next `count` bits, at most 16, without consuming them. Bits after the end are zero. */
  peek(count: number): number {
    while (this.#keptBits < count) {
      this.#kept = ((this.#kept << 8) | (this.#bytes[this.#position++] ?? 0)) >>> 0;
      this.#keptBits += 8;
    }
    return this.#kept >>> (this.#keptBits - count);
  }

  takeWord(): number {
    return this.take(16) * 0x10000 + this.take(16);
  }

  align(): void {
    this.#kept = 0;
    this.#keptBits = 0;
  }

  continuesWith(text: string): boolean {
    return this.#bytes.toString("latin1", this.#position, this.#position + text.length) === text;
  }
}
