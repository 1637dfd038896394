import type { ChannelHandlers, LineChannel } from "../base/line-channel.js";

/** A channel whose input starts to flow when somebody listens. */
export interface StartableChannel extends LineChannel {
  /** Delivers to `handlers` from now on, what waited before included. Called once. */
  start(handlers: ChannelHandlers): void;
}

const defaultHighWaterMark = 64 * 1024;

/** Lines one way: they wait, in order, until the reader has started and is not paused. */
class Pipe {
  readonly #lines: string[] = [];
  #length = 0;
  #isEnded = false;
  #isPaused = false;
  #isScheduled = false;
  #wasCongested = false;
  #reader: ChannelHandlers | undefined;
  readonly #congestionListeners: (() => void)[] = [];

  constructor(private readonly highWaterMark: number) {}

  get isCongested(): boolean {
    return this.#length > this.highWaterMark;
  }

  onCongestion(listener: () => void): void {
    this.#congestionListeners.push(listener);
  }

  write(line: string): void {
    if (this.#isEnded) return;
    this.#lines.push(line);
    this.#length += line.length;
    this.#schedule();
    this.#reportCongestion();
  }

  end(): void {
    this.#isEnded = true;
    this.#schedule();
  }

  readTo(reader: ChannelHandlers): void {
    this.#reader = reader;
    this.#schedule();
  }

  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#deliver();
    });
  }

  #deliver(): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    let count = 0;
    while (count < this.#lines.length && !this.#isPaused) {
      const line = this.#lines[count++] ?? "";
      this.#length -= line.length;
      reader.line(line);
    }
    this.#lines.splice(0, count);
    this.#reportCongestion();
    if (this.#isEnded && this.#lines.length === 0 && !this.#isPaused) {
      this.#reader = undefined;
      reader.end();
    }
  }

  #reportCongestion(): void {
    if (this.isCongested === this.#wasCongested) return;
    this.#wasCongested = this.isCongested;
    for (const listener of this.#congestionListeners) listener();
  }
}

/** One end of an in-memory channel. Lines arrive at the other end in a later microtask, as with a pipe never within {@link send}. */
export class MemoryChannel implements StartableChannel {
  readonly #output: Pipe;
  readonly #input: Pipe;

  constructor(output: Pipe, input: Pipe) {
    this.#output = output;
    this.#input = input;
  }

  start(handlers: ChannelHandlers): void {
    this.#input.readTo(handlers);
  }

  send(line: string): void {
    this.#output.write(line);
  }

  /** Ends the other end's input, after the lines that were sent before; later lines are dropped. */
  end(): void {
    this.#output.end();
  }

  get isCongested(): boolean {
    return this.#output.isCongested;
  }

  onCongestion(listener: () => void): void {
    this.#output.onCongestion(listener);
  }

  pause(): void {
    this.#input.setPaused(true);
  }

  resume(): void {
    this.#input.setPaused(false);
  }
}

/** Two linked ends: what one sends the other receives. `highWaterMark` is in characters. */
export function memoryChannelPair(highWaterMark: number = defaultHighWaterMark): [MemoryChannel, MemoryChannel] {
  const there = new Pipe(highWaterMark);
  const back = new Pipe(highWaterMark);
  return [new MemoryChannel(there, back), new MemoryChannel(back, there)];
}
