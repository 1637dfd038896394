import { stripVTControlCharacters } from "node:util";
import { LineSplitter } from "../line-splitter.js";
import { redactText } from "../redact.js";

const keptLines = 40;
const keptLength = 64 * 1024;
const maxLineLength = 8 * 1024;
const maxKeyLines = 200;
const keyBegins = /-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?!.*-----END)/;

/** The last lines of a process's stderr: at most 40 lines and 64 Ki characters, without escapes and credentials. */
export class StderrTail {
  readonly #lines: string[] = [];
  readonly #splitter: LineSplitter;
  #length = 0;
  /** How many more lines a private key may have that has begun and not ended. */
  #keyLines = 0;

  /** `onLine` gets every line as it is kept. */
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
    return redactText(this.#lines.join("\n"));
  }

  /** A private key has many lines, and only the first and the last one say so. */
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
