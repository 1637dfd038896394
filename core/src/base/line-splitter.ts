/** Remains of a line above the size limit, used to answer the message with an error. */
export interface OversizeLine {
  /** Start of the line, at most {@link keptHead} characters. */
  readonly head: string;
  /** End of the line, at most {@link keptTail} characters. */
  readonly tail: string;
  /** Total length in UTF-8 bytes. */
  readonly bytes: number;
}

export interface LineHandlers {
  line(line: string): void;
  oversize(line: OversizeLine): void;
}

const keptHead = 16_384;
const keptTail = 1_024;

/** Default limit for one line (256 MiB). */
export const defaultMaxLineBytes = 256 * 1024 * 1024;

/**
 * Splits decoded text into lines at `\n`, dropping a preceding `\r` and skipping blank lines. Memory is bounded: characters beyond the
 * limit are counted but not stored. Counts UTF-8 bytes only above a third of the limit, since a UTF-16 code unit takes at most three bytes.
 */
export class LineSplitter {
  #parts: string[] = [];
  #length = 0;
  /** Size of the current line in UTF-8 bytes; 0 until the line is long enough to need counting. */
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

  /** Ends the input and delivers an unterminated last line. */
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

  /** Whether the current line, including `part`, is within the limit. */
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

/** UTF-8 length in bytes. Each surrogate counts two, so that text may be split inside a pair. */
function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0x80) bytes += code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 1 : 2;
  }
  return bytes;
}

/**
 * Puts JSON text on one line for every reader: readers treat `\n`, `\r` (Python, SSE), U+2028 and U+2029 (Node's readline) as line ends.
 * Outside strings, these characters are whitespace or invalid; inside strings, only U+2028 and U+2029 can occur and get escaped.
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
