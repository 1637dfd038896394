import type { Readable, Writable } from "node:stream";
import type { ChannelHandlers, LineChannel } from "../line-channel-contract.js";
import { LineSplitter } from "../line-splitter.js";
import { LineWriter } from "./line-writer.js";
import { openStdout } from "./non-blocking-stdout.js";

interface StdioChannelOptions {
  readonly handlers: ChannelHandlers;
  /** Maximum length of a line; longer lines are counted but not stored. */
  readonly maxLineBytes?: number;
  beforeWrite?(): void;
  /** Maximum number of characters queued for the reader. If more are queued, the channel ends; by default, there is no limit. */
  readonly maxWaiting?: number;
}

/**
 * Amount to read while paused, larger than the buffer of a pipe or socket. Reading continues because only reading reveals the end of the
 * input, which may follow pending data.
 */
const maxReadAhead = 1024 * 1024;

/** Stdin and stdout as a channel. Disposing stops reading and lets the process exit without waiting for the reader. */
interface StdioChannel extends LineChannel, Disposable {
  /** Resolves when the reader has taken everything or is gone. Waits without a time limit. */
  flushed(): Promise<void>;
}

/**
 * Takes over stdin and stdout; other code must no longer write to stdout. The input ends when stdin ends or fails, or when the reader of
 * stdout disappears.
 */
export function stdioChannel(options: StdioChannelOptions): StdioChannel {
  return new StreamChannel(process.stdin, openStdout(), options);
}

export function streamChannel(input: Readable, output: Writable, options: StdioChannelOptions): StdioChannel {
  return new StreamChannel(input, output, options);
}

class StreamChannel implements StdioChannel {
  readonly #writer: LineWriter;
  readonly #splitter: LineSplitter;
  readonly #receive = (chunk: string): void => {
    if (this.#isPaused && (this.#readAhead += chunk.length) >= maxReadAhead) this.input.pause();
    this.#splitter.push(chunk);
  };
  #hasEnded = false;
  #isPaused = false;
  #readAhead = 0;

  constructor(
    private readonly input: Readable,
    output: Writable,
    private readonly options: StdioChannelOptions,
  ) {
    this.#splitter = new LineSplitter(options.handlers, options.maxLineBytes);
    this.#writer = new LineWriter(output, {
      onBroken: () => this.#end(),
      beforeWrite: () => options.beforeWrite?.(),
      maxWaiting: options.maxWaiting,
    });
    input.setEncoding("utf8");
    input.on("data", this.#receive);
    input.on("end", () => this.#end());
    input.on("close", () => this.#end());
    input.on("error", () => this.#end());
  }

  send(line: string): void {
    this.#writer.send(line);
  }

  get isCongested(): boolean {
    return this.#writer.isCongested;
  }

  onCongestion(listener: () => void): void {
    this.#writer.onCongestion(listener);
  }

  pause(): void {
    this.#isPaused = true;
    this.#readAhead = 0;
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.#hasEnded) this.input.resume();
  }

  flushed(): Promise<void> {
    return this.#writer.flushed();
  }

  [Symbol.dispose](): void {
    this.#hasEnded = true;
    this.#stopReading();
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#stopReading();
    this.#splitter.end();
    this.options.handlers.end();
  }

  #stopReading(): void {
    this.input.off("data", this.#receive);
    this.input.destroy();
  }
}
