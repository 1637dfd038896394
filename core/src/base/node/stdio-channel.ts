import { fstatSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import type { ChannelHandlers, LineChannel } from "../line-channel.js";
import { LineSplitter } from "../line-splitter.js";
import { LineWriter } from "./line-writer.js";

interface StdioChannelOptions {
  readonly handlers: ChannelHandlers;
  /** Longer lines are counted, not kept. */
  readonly maxLineBytes?: number;
  /** Called before lines leave. */
  beforeWrite?(): void;
}

/**
 * What a pipe or a socket can hold, and more: so much is taken while nothing should be, since the end of the input is
 * seen by reading alone, and it may stand behind what somebody wrote before they left.
 */
const maxReadAhead = 1024 * 1024;

/** Our stdin and stdout as a channel. Disposing stops reading and lets the process exit; it does not wait for the reader. */
interface StdioChannel extends LineChannel, Disposable {
  /** Resolves when everything sent was taken, or the reader is gone. The caller sets the bound. */
  flushed(): Promise<void>;
}

/**
 * Takes over stdin and stdout: from here on nothing else may write to stdout. The input ends when stdin ends or
 * fails, and also when nobody reads stdout any more.
 */
export function stdioChannel(options: StdioChannelOptions): StdioChannel {
  return new StreamChannel(process.stdin, openStdout(), options);
}

/**
 * Whether `process.stdout` blocks the event loop on a pipe depends on the platform; a socket of our own never does.
 * Files and terminals stay with Node.
 */
function openStdout(): Writable {
  const stats = fstatSync(1);
  if (process.platform === "win32" || !(stats.isFIFO() || stats.isSocket())) return process.stdout;
  const stdout = new Socket({ fd: 1, readable: false, writable: true });
  // Node would open a second one when it is first asked for, which `pipe()` of any stream does, and fail while this one waits
  // for its reader. Bun has one of its own, which must stay.
  if (!("bun" in process.versions)) Object.defineProperty(process, "stdout", { value: stdout, configurable: true });
  return stdout;
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
  /** Characters taken since the pause. */
  #readAhead = 0;

  constructor(
    private readonly input: Readable,
    output: Writable,
    private readonly options: StdioChannelOptions,
  ) {
    this.#splitter = new LineSplitter(options.handlers, options.maxLineBytes);
    this.#writer = new LineWriter(output, { onBroken: () => this.#end(), beforeWrite: () => options.beforeWrite?.() });
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
