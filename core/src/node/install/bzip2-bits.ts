/** A bzip2 file that cannot be read. */
export function damaged(reason: string): Error {
  return new Error(`The bzip2 data is damaged: ${reason}.`);
}

/** Reads bits, the highest first, from what {@link fill} has fetched. */
export class Bzip2Bits {
  readonly #source: AsyncIterator<Uint8Array, unknown>;
  #bytes: Buffer = Buffer.alloc(0);
  #position = 0;
  #kept = 0;
  #keptBits = 0;
  #hasEnded = false;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, unknown>;
  }

  /** Fetches input until at least `count` bytes are there, or the input has ended. */
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

  /** The next `count` bits, at most 24. */
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

  /** The next `count` bits, at most 16, which stay; zeros behind the end. */
  peek(count: number): number {
    while (this.#keptBits < count) {
      this.#kept = ((this.#kept << 8) | (this.#bytes[this.#position++] ?? 0)) >>> 0;
      this.#keptBits += 8;
    }
    return this.#kept >>> (this.#keptBits - count);
  }

  /** 32 bits. */
  takeWord(): number {
    return this.take(16) * 0x10000 + this.take(16);
  }

  /** Skips to the next whole byte. */
  align(): void {
    this.#kept = 0;
    this.#keptBits = 0;
  }

  continuesWith(text: string): boolean {
    return this.#bytes.toString("latin1", this.#position, this.#position + text.length) === text;
  }
}
