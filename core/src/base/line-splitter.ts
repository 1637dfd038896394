/** A line that exceeded the limit: what was kept of it, so that the message can be answered. */
export interface OversizeLine {
  /** The first characters, at most {@link keptHead}. */
  readonly head: string;
  /** The last characters, at most {@link keptTail}. */
  readonly tail: string;
  /** The whole length in UTF-8. */
  readonly bytes: number;
}

export interface LineHandlers {
  line(line: string): void;
  oversize(line: OversizeLine): void;
}

const keptHead = 16_384;
const keptTail = 1_024;

/** Default limit of one line (256 MiB). */
export const defaultMaxLineBytes = 256 * 1024 * 1024;

/**
 * Cuts decoded text into lines (`\n`, an optional `\r` before it is dropped, blank lines are skipped).
 * Memory is bounded by the limit: beyond it a line is counted, not kept. Only what has more than a third of the limit
 * in characters is counted in bytes: a character that JavaScript counts has three at most.
 */
export class LineSplitter {
  #parts: string[] = [];
  #length = 0;
  /** Of the line so far, once they had to be counted; else 0. */
  #bytes = 0;
  #tail = "";

  constructor(
    private readonly handlers: LineHandlers,
    private readonly maxBytes: number = defaultMaxLineBytes,
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
      if ((end - start) * 3 > this.maxBytes) {
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
    if (this.#fits(part)) {
      this.#parts.push(part);
      return;
    }
    const known = this.#tail === "" ? this.#parts.join("") : this.#tail;
    if (this.#tail === "") this.#parts = [known.concat(part).slice(0, keptHead)];
    this.#tail = known.concat(part).slice(-keptTail);
  }

  /** Whether the line with `part` as its newest is within the limit. */
  #fits(part: string): boolean {
    if (this.#length * 3 <= this.maxBytes) return true;
    const uncounted = this.#bytes === 0 ? [...this.#parts, part] : [part];
    for (const one of uncounted) this.#bytes += utf8Length(one);
    return this.#bytes <= this.maxBytes;
  }

  #finish(): void {
    const text = this.#parts.length === 1 ? (this.#parts[0] ?? "") : this.#parts.join("");
    const bytes = this.#bytes;
    const tail = this.#tail;
    this.#parts = [];
    this.#length = 0;
    this.#bytes = 0;
    this.#tail = "";
    if (bytes > this.maxBytes) this.handlers.oversize({ head: text, tail, bytes });
    else this.#emit(text);
  }

  #emit(line: string): void {
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    if (text !== "") this.handlers.line(text);
  }
}

/** Bytes of `text` in UTF-8; each half of a surrogate pair counts two, so that text may be cut between them. */
function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0x80) bytes += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 1 : 2;
  }
  return bytes;
}

/**
 * JSON text as one line, whoever reads it: readers end a line at `\n`, `\r` (Python, SSE), U+2028 and U+2029 (Node's readline).
 * Outside of strings these are white space or no JSON; within them only the last two may stand, and are escaped.
 */
export function oneLine(json: string): string {
  const isOneLine =
    !json.includes("\n") && !json.includes("\r") && !json.includes("\u2028") && !json.includes("\u2029");
  if (isOneLine) return json;
  return json
    .replace(/[\n\r]/g, " ")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}
