/** Text as UTF-8. Its bytes are the queue's again once it is given to {@link TextQueue.release}. */
export interface TextBlock {
  readonly bytes: Buffer;
  /** Bytes that are used. */
  length: number;
  /** UTF-16 units that they stand for. */
  characters: number;
}

/** Bytes of a block. */
export const blockLength = 64 * 1024;
/** Characters that stay a string: Node writes a short one faster than bytes. */
const openLength = 16 * 1024;
/** Characters above which a line stays a string until it is taken. */
const longLine = 2 * blockLength;

const encoder = new TextEncoder();

/**
 * Lines that wait for their write. They wait as bytes in blocks that are used again, not as strings: what stays alive in
 * V8's young generation while new text streams through makes V8 enlarge it, up to 128 MiB. Only the newest lines, as long
 * as they are short together, and long lines, which live elsewhere, stay strings until they are taken.
 */
export class TextQueue {
  /** A string is one long line without its newline: to join that would copy the line. */
  readonly #parts: (TextBlock | string)[] = [];
  readonly #spare: TextBlock[] = [];
  /** Of a long line at the head, so much is taken. */
  #offset = 0;
  /** The newest lines. */
  #open = "";
  #characters = 0;

  /** Keeps at most `maxSpare` blocks for later. */
  constructor(private readonly maxSpare: number) {}

  /** UTF-16 units that wait. */
  get characters(): number {
    return this.#characters;
  }

  push(line: string): void {
    this.#characters += line.length + 1;
    if (line.length > longLine) {
      this.#close();
      this.#parts.push(line);
      return;
    }
    this.#open += line + "\n";
    if (this.#open.length >= openLength) this.#close();
  }

  /** The oldest text, at most one block of it; never breaks a character in two. */
  take(): TextBlock | string | undefined {
    const taken = this.#shift();
    this.#characters -= charactersOf(taken);
    return taken;
  }

  /** Gives back a block that was taken. */
  release(block: TextBlock): void {
    if (this.#spare.length >= this.maxSpare) return;
    block.length = 0;
    block.characters = 0;
    this.#spare.push(block);
  }

  clear(): void {
    this.#parts.length = 0;
    this.#spare.length = 0;
    this.#offset = 0;
    this.#open = "";
    this.#characters = 0;
  }

  #shift(): TextBlock | string | undefined {
    const [first] = this.#parts;
    if (typeof first === "string") return this.#takeFrom(first);
    if (first) return this.#parts.shift();
    const text = this.#open;
    this.#open = "";
    return text === "" ? undefined : text;
  }

  #takeFrom(line: string): TextBlock {
    const block = this.#emptyBlock();
    this.#offset += fill(block, line, this.#offset);
    const isWhole = this.#offset === line.length && fill(block, "\n", 0) === 1;
    if (isWhole) {
      this.#parts.shift();
      this.#offset = 0;
    }
    return block;
  }

  #close(): void {
    const text = this.#open;
    this.#open = "";
    let block = this.#parts.at(-1);
    for (let offset = 0; offset < text.length;) {
      const taken = typeof block === "object" ? fill(block, text, offset) : 0;
      offset += taken;
      if (offset === text.length) return;
      block = this.#emptyBlock();
      this.#parts.push(block);
    }
  }

  #emptyBlock(): TextBlock {
    return this.#spare.pop() ?? { bytes: Buffer.allocUnsafeSlow(blockLength), length: 0, characters: 0 };
  }
}

/** UTF-16 units of what was taken from a {@link TextQueue}. */
export function charactersOf(taken: TextBlock | string | undefined): number {
  return typeof taken === "string" ? taken.length : (taken?.characters ?? 0);
}

/** Adds of `text` from `start` what there is room for; returns how many UTF-16 units that was. */
function fill(block: TextBlock, text: string, start: number): number {
  const rest = block.bytes.subarray(block.length);
  // As many units as there are bytes: where that ends within a surrogate pair, no room is left for its half.
  const { read, written } = encoder.encodeInto(text.slice(start, start + rest.length), rest);
  block.length += written;
  block.characters += read;
  return read;
}
