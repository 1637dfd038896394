/** A line that exceeded the limit: what was kept of it, so that the message can be answered. */
export interface OversizeLine {
  /** The first characters, at most {@link keptHead}. */
  readonly head: string;
  /** The last characters, at most {@link keptTail}. */
  readonly tail: string;
  /** The whole length in characters. */
  readonly length: number;
}

export interface LineHandlers {
  line(line: string): void;
  oversize(line: OversizeLine): void;
}

const keptHead = 16_384;
const keptTail = 1_024;

/** Default limit of one line, in characters (256 Mi). */
export const defaultMaxLineLength = 256 * 1024 * 1024;

/**
 * Cuts decoded text into lines (`\n`, an optional `\r` before it is dropped, blank lines are skipped).
 * Memory is bounded by the limit: beyond it a line is counted, not kept.
 */
export class LineSplitter {
  #parts: string[] = [];
  #length = 0;
  #tail = "";

  constructor(
    private readonly handlers: LineHandlers,
    private readonly maxLength: number = defaultMaxLineLength,
  ) {}

  push(chunk: string): void {
    let start = 0;
    let end = chunk.indexOf("\n");
    if (end === -1) {
      this.#keep(chunk);
      return;
    }
    if (this.#length > 0) {
      this.#keep(chunk.slice(0, end));
      this.#finish();
      start = end + 1;
      end = chunk.indexOf("\n", start);
    }
    while (end !== -1) {
      if (end - start > this.maxLength) {
        this.#keep(chunk.slice(start, end));
        this.#finish();
      } else {
        this.#emit(chunk.slice(start, end));
      }
      start = end + 1;
      end = chunk.indexOf("\n", start);
    }
    if (start < chunk.length) this.#keep(chunk.slice(start));
  }

  /** The input ended: an unterminated last line is delivered too. */
  end(): void {
    if (this.#length > 0) this.#finish();
  }

  #keep(part: string): void {
    if (part === "") return;
    this.#length += part.length;
    if (this.#length <= this.maxLength) {
      this.#parts.push(part);
      return;
    }
    const known = this.#tail === "" ? this.#parts.join("") : this.#tail;
    if (this.#tail === "") this.#parts = [known.concat(part).slice(0, keptHead)];
    this.#tail = known.concat(part).slice(-keptTail);
  }

  #finish(): void {
    const text = this.#parts.length === 1 ? (this.#parts[0] ?? "") : this.#parts.join("");
    const length = this.#length;
    const tail = this.#tail;
    this.#parts = [];
    this.#length = 0;
    this.#tail = "";
    if (length > this.maxLength) this.handlers.oversize({ head: text, tail, length });
    else this.#emit(text);
  }

  #emit(line: string): void {
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    if (text !== "") this.handlers.line(text);
  }
}
