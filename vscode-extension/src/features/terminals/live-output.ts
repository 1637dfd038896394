import { terminalTailChars } from "../../../protocol/index.js";

/** A frame of the screen. */
const intervalMs = 16;
/** A command that has written that much is not read line by line: it is shown less often and only by its end. */
const floodChars = 4_000_000;
const floodIntervalMs = 100;
/** More than this between two frames is not taken in: the command waits. */
const maxPendingChars = 4_000_000;

interface LivePart {
  readonly text: string;
  /** `text` replaces what was shown before; `dropped` characters of the whole output came before it. */
  readonly reset?: { readonly dropped: number };
}

/** Passes output on in parts, at most one a frame, each holding only what is new. */
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

  /** The command writes faster than anyone can take in; `resume` is called when it may go on. */
  isFull(resume: () => void): boolean {
    if (this.#pending.length < maxPendingChars) return false;
    this.#resume = resume;
    return true;
  }

  /** Shows now what waits. */
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
