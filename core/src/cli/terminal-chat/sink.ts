import type { Writable } from "node:stream";
import { type Environment, Style } from "./style.js";

/** A stream that people read, perhaps on a terminal. */
export type TextOutput = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** One output stream that knows whether its last line is finished. */
export class Sink {
  readonly style: Style;
  /** Stands around every write; whoever shows a prompt on the stream takes it away and puts it back. */
  around: ((write: () => void) => void) | undefined;
  #isAtLineStart = true;
  #isClosed = false;

  constructor(
    readonly stream: TextOutput,
    env: Environment,
  ) {
    this.style = Style.of(stream, env);
  }

  get isTerminal(): boolean {
    return this.stream.isTTY === true;
  }

  /** `text` is safe already; `paint` colours it without counting as text. */
  write(text: string, paint: (text: string) => string = (plain) => plain): void {
    if (text === "") return;
    this.#send(paint(text), text.endsWith("\n"));
  }

  /** One whole line, on a line of its own. */
  line(text: string): void {
    this.finishLine();
    this.#send(`${text}\n`, true);
  }

  finishLine(): void {
    if (!this.#isAtLineStart) this.#send("\n", true);
  }

  /** Drops what is still written: the conversation is over. */
  close(): void {
    this.#isClosed = true;
  }

  /** Runs `write`, which may write to the same terminal by another stream, with the prompt out of the way. */
  aside(write: () => void): void {
    if (this.around === undefined) write();
    else this.around(write);
  }

  #send(text: string, endsLine: boolean): void {
    if (this.#isClosed) return;
    this.aside(() => {
      this.stream.write(text);
      this.#isAtLineStart = endsLine;
    });
  }
}
