import { stripVTControlCharacters } from "node:util";
import { LineSplitter } from "../base/line-splitter.js";
import { redactText } from "../base/redact.js";

const keptLines = 40;
const keptLength = 64 * 1024;
const maxLineLength = 8 * 1024;

/** The last lines of a process's stderr: at most 40 lines and 64 Ki characters, without escapes and credentials. */
export class StderrTail {
  readonly #lines: string[] = [];
  readonly #splitter: LineSplitter;
  #length = 0;

  /** `onLine` gets every line as it is kept. */
  constructor(onLine: (line: string) => void = () => undefined) {
    const keep = (line: string): void => {
      const readable = redactText(stripVTControlCharacters(line)).trimEnd();
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

  #keep(line: string): void {
    this.#lines.push(line);
    this.#length += line.length + 1;
    while (this.#lines.length > keptLines || this.#length > keptLength) {
      this.#length -= (this.#lines.shift() ?? "").length + 1;
    }
  }
}
