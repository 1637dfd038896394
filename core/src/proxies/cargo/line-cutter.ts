/** ECMA-48 control sequences, and the choice of a character set that terminals' reset contains. */
// eslint-disable-next-line no-control-regex
const controlSequences = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\([0-9A-Z])/g;

/** Longer lines are cut; one message of the compiler is a line, and a linker's can be long. */
const maxLineLength = 8 * 1024 * 1024;

/** Cuts text into lines, blank ones included, without their ends and without colours. */
export class LineCutter {
  #parts: string[] = [];
  #length = 0;

  constructor(private readonly line: (line: string) => void) {}

  push(chunk: string): void {
    let start = 0;
    for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", start)) {
      this.#keep(chunk.slice(start, end));
      this.#finish();
      start = end + 1;
    }
    this.#keep(chunk.slice(start));
  }

  /** The input ended: an unterminated last line is delivered too. */
  end(): void {
    if (this.#length > 0) this.#finish();
  }

  #keep(part: string): void {
    if (this.#length < maxLineLength) this.#parts.push(part.slice(0, maxLineLength - this.#length));
    this.#length += part.length;
  }

  #finish(): void {
    const text = this.#parts.join("");
    this.#parts = [];
    this.#length = 0;
    const line = text.endsWith("\r") ? text.slice(0, -1) : text;
    this.line(line.includes("\u001b") ? line.replaceAll(controlSequences, "") : line);
  }
}
