import { BoundedLines } from "./bounded-lines.js";
import { BacktraceFilter } from "./tidy-output.js";

const length = { head: 40, tail: 60 };

/** What a test printed, bounded, without backtraces. */
export class CapturedOutput {
  readonly #lines = new BoundedLines(length.head, length.tail);
  readonly #filter = new BacktraceFilter();

  push(line: string): void {
    if (this.#filter.keeps(line)) this.#lines.push(line);
  }

  /** The kept lines, without a mark where `omitted` are missing. */
  get lines(): readonly string[] {
    return [...this.#lines.head, ...this.#lines.tail];
  }

  get omitted(): number {
    return this.#lines.omitted;
  }

  /** Lines of backtraces. */
  get backtrace(): number {
    return this.#filter.dropped;
  }
}
