import { ownLine } from "../host-wire.js";

const mark = ownLine.charCodeAt(0);
const lineEnd = 0x0a;

interface OwnLinesOptions {
  /** Receives messages as bytes. */
  readonly pass: (chunk: Buffer) => void;
  /** Receives each of the host's own lines without its mark. */
  readonly hear: (line: string) => void;
}

/** Separates the host's own lines from ACP messages; the input can be split into chunks at any place. */
export class OwnLines {
  #begun: Buffer | undefined;

  constructor(private readonly options: OwnLinesOptions) {}

  push(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) rest = this.#begun ? this.#take(this.#begun, rest) : this.#pass(rest);
  }

  /** Forwards the bytes before the next line of the host's own, and returns the rest of the chunk after the line's mark. */
  #pass(chunk: Buffer): Buffer {
    const place = chunk.indexOf(mark);
    if (place !== 0) this.options.pass(place === -1 ? chunk : chunk.subarray(0, place));
    if (place === -1) return Buffer.alloc(0);
    this.#begun = Buffer.alloc(0);
    return chunk.subarray(place + 1);
  }

  #take(begun: Buffer, chunk: Buffer): Buffer {
    const end = chunk.indexOf(lineEnd);
    const taken = Buffer.concat([begun, end === -1 ? chunk : chunk.subarray(0, end)]);
    this.#begun = end === -1 ? taken : undefined;
    if (end === -1) return Buffer.alloc(0);
    this.options.hear(taken.toString());
    return chunk.subarray(end + 1);
  }
}
