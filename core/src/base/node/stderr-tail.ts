import { stripVTControlCharacters } from "node:util";
import { LineSplitter } from "../line-splitter.js";
import { redactText } from "../redact.js";

const keptLines = 40;
const keptLength = 64 * 1024;
const maxLineLength = 8 * 1024;
const maxKeyLines = 200;
const keyBegins = /-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?!.*-----END)/;

/** Collects the end of a process's stderr: at most 40 lines and 64 Ki characters, without escape sequences and credentials. */
export class StderrTail {
  readonly #lines: string[] = [];
  readonly #splitter: LineSplitter;
  #length = 0;
  /** Remaining lines that an unfinished private key may have. */
  #keyLines = 0;

  constructor(onLine: (line: string) => void = () => undefined) {
    const keep = (line: string): void => {
      const readable = redactText(this.#withoutKey(stripVTControlCharacters(line))).trimEnd();
      if (readable === "") return;
      this.#keep(readable);
      onLine(readable);
    };
    this.#splitter = new LineSplitter(
      { line: keep, oversize: ({ head, tail }) => keep(`${head.slice(0, maxLineLength)} ... ${tail}`) },
      maxLineLength,
    );
  }

  push(chunk: string): void {
    this.#splitter.push(chunk);
  }

  end(): void {
    this.#splitter.end();
  }

  get text(): string {
    // Skip redaction if nothing was written, as by most processes: the first use compiles all patterns.
    return this.#lines.length === 0 ? "" : redactText(this.#lines.join("\n"));
  }

  /** Removes the lines of a private key, since only its first and last line are recognizable. */
  #withoutKey(line: string): string {
    if (this.#keyLines > 0) {
      const end = line.indexOf("-----END");
      this.#keyLines = end < 0 ? this.#keyLines - 1 : 0;
      return end < 0 ? "" : line.slice(end);
    }
    if (keyBegins.test(line)) this.#keyLines = maxKeyLines;
    return line;
  }

  #keep(line: string): void {
    this.#lines.push(line);
    this.#length += line.length + 1;
    while (this.#lines.length > keptLines || this.#length > keptLength) {
      this.#length -= (this.#lines.shift() ?? "").length + 1;
    }
  }
}
