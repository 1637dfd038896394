import { clearScreenDown, cursorTo, type Interface, moveCursor } from "node:readline";
import { Writable } from "node:stream";
import type { Sink } from "./sink.js";

/**
 * What readline takes for its terminal. The line being typed shows only while a prompt is open, so that nobody's
 * typing mixes with an answer; what is written to the sink meanwhile goes above it.
 */
export class PromptLine extends Writable {
  readonly isTTY = true;
  #interface: Interface | undefined;
  #isOpen = false;
  readonly #onResize = (): void => void this.emit("resize");

  constructor(private readonly sink: Sink) {
    super({ decodeStrings: false });
    sink.around = (write) => this.#writeAbove(write);
    sink.stream.on("resize", this.#onResize);
  }

  get columns(): number {
    return this.sink.stream.columns ?? 80;
  }

  /** The interface whose line this is. */
  attach(lines: Interface): void {
    this.#interface = lines;
  }

  show(prompt: string): void {
    this.sink.finishLine();
    this.#isOpen = true;
    this.#interface?.setPrompt(prompt);
    this.#interface?.prompt(true);
  }

  /** The line was entered: from here on typing does not show. */
  hide(): void {
    this.#isOpen = false;
  }

  /** Leaves a line that was not entered behind. */
  abandon(): void {
    if (this.#isOpen) this.sink.stream.write("\n");
    this.#isOpen = false;
  }

  detach(): void {
    this.hide();
    this.sink.around = undefined;
    this.sink.stream.off("resize", this.#onResize);
  }

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    if (this.#isOpen) this.sink.stream.write(String(chunk));
    done();
  }

  #writeAbove(write: () => void): void {
    const lines = this.#interface;
    if (!this.#isOpen || lines === undefined) {
      write();
      return;
    }
    const { rows } = lines.getCursorPos();
    const { stream } = this.sink;
    moveCursor(stream, 0, -rows);
    cursorTo(stream, 0);
    clearScreenDown(stream);
    write();
    this.#isOpen = false;
    this.sink.finishLine();
    this.#isOpen = true;
    // readline redraws from where it believes its first row to be.
    stream.write("\n".repeat(rows));
    lines.prompt(true);
  }
}
