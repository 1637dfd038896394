import type { ChannelHandlers, LineChannel } from "../src/base/line-channel-contract.js";
import { defaultMaxLineBytes } from "../src/base/line-splitter.js";
import { Connection } from "../src/base/rpc/connection.js";
import { Outcome } from "../src/base/rpc/message.js";
import type { Peer } from "../src/base/rpc/peer.js";
import { RpcError } from "../src/base/rpc/rpc-error.js";

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

export interface ConnectionOverOptions {
  /** Whether the other side hears of lines that cannot be read; true when absent. */
  readonly answersGarbage?: boolean;
  /** Characters a line may have when the channel enforces a limit. */
  readonly maxLineBytes?: number;
  onSkipped?(reason: string): void;
  /** The other side's output has ended, and what waited for it has been answered. */
  onEnd?(): void;
}

/**
 * JSON-RPC over `channel`, started at once. `inbound` receives what the other side asks; give a function where
 * it needs the connection itself. The end of input answers everything that waits with an internal error.
 */
export function connectionOver(
  channel: StartableChannel,
  inbound: Peer | ((neighbour: Connection) => Peer),
  options: ConnectionOverOptions = {},
): Connection {
  const connection: Connection = new Connection({
    send: (line) => channel.send(line),
    inbound: { request: (request, reply) => peer.request(request, reply), notify: (message) => peer.notify(message) },
    answersGarbage: options.answersGarbage ?? true,
    onSkipped: (reason) => options.onSkipped?.(reason),
  });
  const peer = typeof inbound === "function" ? inbound(connection) : inbound;
  channel.start({
    line: (line) => connection.receive(line),
    oversize: (line) => connection.receiveOversize(line, options.maxLineBytes ?? defaultMaxLineBytes),
    end: () => {
      connection.close(Outcome.error(RpcError.internal("the other side closed the connection")));
      options.onEnd?.();
    },
  });
  return connection;
}
