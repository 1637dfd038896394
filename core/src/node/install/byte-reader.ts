/** Reads pieces of wanted sizes from a stream of any sizes, at the pace of whoever reads. */
export class ByteReader {
  readonly #source: AsyncIterator<Uint8Array, unknown>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, unknown>;
  }

  /** The next `count` bytes, or fewer at the end. */
  async take(count: number): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.pieces(count)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** The next `count` bytes, or fewer at the end, piece by piece. */
  async *pieces(count: number): AsyncGenerator<Uint8Array, void> {
    for (let left = count; left > 0;) {
      if (this.#rest.length === 0) {
        const next = await this.#source.next();
        if (next.done === true) return;
        this.#rest = next.value;
        continue;
      }
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  /** Tells the source that nothing more is wanted. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }
}
