import { terminalTailChars } from "../../../protocol/index.js";

const intervalMs = 16;
/** Output size in characters. If a command's output is larger, the display is updated less often and shows only the end. */
const floodChars = 4_000_000;
const floodIntervalMs = 100;
/** Maximum number of pending characters between two updates. If there are more, the command is paused. */
const maxPendingChars = 4_000_000;

interface LivePart {
  readonly text: string;
  /** If set, `text` replaces the earlier text, and `dropped` is the number of characters of the output before `text`. */
  readonly reset?: { readonly dropped: number };
}

export class LiveOutput implements Disposable {
  #pending = "";
  #total = 0;
  #timer: NodeJS.Timeout | undefined;
  #resume: (() => void) | undefined;

  constructor(private readonly show: (part: LivePart) => void) {}

  push(text: string): void {
    this.#pending += text;
    this.#total += text.length;
    this.#timer ??= setTimeout(() => this.flush(), this.#total > floodChars ? floodIntervalMs : intervalMs);
  }

  /** Returns true if the command must pause until `resume` is called. */
  isFull(resume: () => void): boolean {
    if (this.#pending.length < maxPendingChars) return false;
    this.#resume = resume;
    return true;
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#pending;
    this.#pending = "";
    if (text.length > terminalTailChars) {
      const tail = text.slice(-terminalTailChars);
      this.show({ text: tail, reset: { dropped: this.#total - tail.length } });
    } else if (text !== "") this.show({ text });
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

interface Chunk {
  text: string;
  bytes: number;
}

/** Length up to which small writes are merged into one chunk. */
const chunkChars = 16_384;

/** Last part of a command's output: at most `limitBytes` of UTF-8, cut at a character boundary. */
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

  get value(): { readonly output: string; readonly truncated: boolean } {
    const text = this.#chunks.map((chunk) => chunk.text).join("");
    if (this.#bytes <= this.limitBytes) return { output: text, truncated: this.#isCut };
    const bytes = Buffer.from(text);
    let start = bytes.length - this.limitBytes;
    while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
    return { output: bytes.toString("utf8", start), truncated: true };
  }
}
