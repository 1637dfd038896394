/** UTF-8 text. The queue reuses the bytes after {@link TextQueue.release}. */
export interface TextBlock {
  readonly bytes: Buffer;
  length: number;
  /** Length in UTF-16 code units. */
  characters: number;
}

/** Size of a block in bytes. */
export const blockLength = 64 * 1024;
/** Maximum length of text stored as a string, because Node writes short strings faster than bytes. */
const openLength = 16 * 1024;
/** Lines above this length are stored as a string until they are taken. */
const longLine = 2 * blockLength;

const encoder = new TextEncoder();

/**
 * Queue of lines to write. Stores text as bytes in reusable blocks, because strings that survive in V8's young generation while text
 * streams through make V8 enlarge it, up to 128 MiB. Only short recent lines and long lines remain strings.
 */
export class TextQueue {
  /** A string is one long line without its line break; appending the break would copy the line. */
  readonly #parts: (TextBlock | string)[] = [];
  readonly #spare: TextBlock[] = [];
  #offset = 0;
  #open = "";
  #characters = 0;

  constructor(private readonly maxSpare: number) {}

  /** Length in UTF-16 code units. */
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

  /** Removes the oldest text, at most one block. Never splits a character. */
  take(): TextBlock | string | undefined {
    const taken = this.#shift();
    this.#characters -= charactersOf(taken);
    return taken;
  }

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

/** Length in UTF-16 code units of text taken from a {@link TextQueue}. */
export function charactersOf(taken: TextBlock | string | undefined): number {
  return typeof taken === "string" ? taken.length : (taken?.characters ?? 0);
}

/** Appends the part of `text` from `start` that fits. Returns the number of UTF-16 code units appended. */
function fill(block: TextBlock, text: string, start: number): number {
  const rest = block.bytes.subarray(block.length);
  // Slice one UTF-16 unit per free byte. If the slice splits a surrogate pair, the remaining half no longer fits anyway.
  const { read, written } = encoder.encodeInto(text.slice(start, start + rest.length), rest);
  block.length += written;
  block.characters += read;
  return read;
}
