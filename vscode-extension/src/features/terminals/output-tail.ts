interface Chunk {
  text: string;
  bytes: number;
}

/** Chunks below this length grow, so that many tiny writes stay few chunks. */
const chunkChars = 16_384;

/** The end of a command's output: at most `limitBytes` of UTF-8, cut where a character begins. */
export class OutputTail {
  #chunks: Chunk[] = [];
  #bytes = 0;
  #isCut = false;

  constructor(private readonly limitBytes: number) {}

  push(text: string): void {
    if (text === "") return;
    const bytes = Buffer.byteLength(text);
    const last = this.#chunks.at(-1);
    if (last && last.text.length + text.length <= chunkChars) {
      last.text += text;
      last.bytes += bytes;
    } else this.#chunks.push({ text, bytes });
    this.#bytes += bytes;
    let dropped = 0;
    for (const chunk of this.#chunks) {
      if (this.#bytes - chunk.bytes < this.limitBytes) break;
      this.#bytes -= chunk.bytes;
      dropped++;
    }
    if (dropped === 0) return;
    this.#chunks = this.#chunks.slice(dropped);
    this.#isCut = true;
  }

  /** As `terminal/output` wants it. */
  get value(): { readonly output: string; readonly truncated: boolean } {
    const text = this.#chunks.map((chunk) => chunk.text).join("");
    if (this.#bytes <= this.limitBytes) return { output: text, truncated: this.#isCut };
    const bytes = Buffer.from(text);
    let start = bytes.length - this.limitBytes;
    while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
    return { output: bytes.toString("utf8", start), truncated: true };
  }
}
