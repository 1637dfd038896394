import type { Writable } from "node:stream";
import { oneLine } from "../line-splitter.js";
import { blockLength, charactersOf, type TextBlock, TextQueue } from "./text-queue.js";

interface LineWriterOptions {
  /** Number of queued characters that marks congestion, until the queue falls to a quarter. Default 1 Mi. */
  readonly highWaterMark?: number;
  /** Maximum number of queued characters. A line that exceeds the limit drops the reader; by default, there is no limit. */
  readonly maxWaiting?: number | undefined;
  beforeWrite?(): void;
  /** Called if the reader disappears; queued and later lines are dropped. Called at most once, and not after {@link LineWriter.end}. */
  onBroken?(reason: string): void;
}

/**
 * Writes JSON lines to a stream whose write callback means that the reader took the bytes. Combines lines of one tick into block-sized
 * writes, one at a time, so that the reader's progress is measurable. Reports a broken stream instead of throwing.
 */
export class LineWriter {
  readonly #highWaterMark: number;
  readonly #listeners: (() => void)[] = [];
  readonly #waiters: (() => void)[] = [];
  readonly #queue: TextQueue;
  #inFlight: TextBlock | string | undefined;
  #isScheduled = false;
  #isCongested = false;
  #isEnding = false;
  #isBroken = false;
  #isStuck = false;
  #writes = 0;

  constructor(
    private readonly stream: Writable,
    private readonly options: LineWriterOptions = {},
  ) {
    this.#highWaterMark = options.highWaterMark ?? 1024 * 1024;
    this.#queue = new TextQueue(Math.ceil(this.#highWaterMark / blockLength));
    stream.on("error", (error: NodeJS.ErrnoException) => this.#break(error.code ?? error.message));
    stream.on("close", () => this.#break("closed"));
  }

  /** Queues JSON text as one line. Drops it after {@link end} or if the reader is gone. */
  send(line: string): void {
    if (this.#isBroken || this.#isEnding) {
      this.#isStuck ||= this.#isBroken;
      return;
    }
    if (this.#waiting > (this.options.maxWaiting ?? Infinity)) {
      this.#break("it reads too slowly");
      return;
    }
    this.#queue.push(oneLine(line));
    if (!this.#isScheduled && this.#inFlight === undefined) {
      this.#isScheduled = true;
      process.nextTick(this.#flush);
    }
    if (!this.#isCongested && this.#waiting > this.#highWaterMark) this.#setCongested(true);
  }

  get isCongested(): boolean {
    return this.#isCongested;
  }

  onCongestion(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Number of writes that the reader took completely. No change while {@link awaitsReader} is true means no progress. */
  get writesTaken(): number {
    return this.#writes;
  }

  /** Whether the reader hasn't taken all written data, or lines were dropped because the reader is gone. */
  get awaitsReader(): boolean {
    return this.#inFlight !== undefined || this.#isStuck;
  }

  /** Resolves when the queue is empty or the reader is gone. Waits without a time limit. */
  flushed(): Promise<void> {
    if (this.#waiting === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  end(): void {
    if (this.#isEnding || this.#isBroken) return;
    this.#isEnding = true;
    if (this.#waiting === 0) this.stream.end();
  }

  get #waiting(): number {
    return this.#queue.characters + charactersOf(this.#inFlight);
  }

  readonly #flush = (): void => {
    this.#isScheduled = false;
    if (this.#isBroken) return;
    const taken = this.#queue.take();
    if (taken === undefined) return;
    this.options.beforeWrite?.();
    this.#inFlight = taken;
    this.stream.write(typeof taken === "string" ? taken : taken.bytes.subarray(0, taken.length), this.#taken);
  };

  readonly #taken = (error?: Error | null): void => {
    if (this.#isBroken || error) return; // The stream's error event, which follows, tells why.
    if (typeof this.#inFlight === "object") this.#queue.release(this.#inFlight);
    this.#inFlight = undefined;
    this.#writes++;
    if (this.#isCongested && this.#queue.characters <= this.#highWaterMark / 4) this.#setCongested(false);
    if (this.#queue.characters > 0) {
      if (!this.#isScheduled) this.#flush();
      return;
    }
    this.#settle();
    if (this.#isEnding) this.stream.end();
  };

  #break(reason: string): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#isStuck = this.#waiting > 0 && !this.#isEnding;
    this.#queue.clear();
    this.#inFlight = undefined;
    if (this.#isCongested) this.#setCongested(false);
    this.#settle();
    if (!this.#isEnding) this.options.onBroken?.(reason);
  }

  #setCongested(isCongested: boolean): void {
    this.#isCongested = isCongested;
    for (const listener of this.#listeners) listener();
  }

  #settle(): void {
    for (const resolve of this.#waiters.splice(0)) resolve();
  }
}
