import type { Writable } from "node:stream";

export interface LineWriterOptions {
  /** Characters waiting above which the writer is congested, until a quarter of it is left. Default 1 Mi. */
  readonly highWaterMark?: number;
  /** The reader is gone: what waits and what follows is dropped. Called at most once, and not for an {@link LineWriter.end} of ours. */
  onBroken?(reason: string): void;
}

/** Characters of one write; a longer queue leaves in several, so that a reader's progress can be seen. */
const writeLength = 256 * 1024;

/**
 * Writes lines to a stream. Lines of one tick leave in one write, and no write starts before the one before it
 * was taken. A reader that goes away is reported, never thrown.
 */
export class LineWriter {
  readonly #highWaterMark: number;
  readonly #listeners: (() => void)[] = [];
  readonly #waiters: (() => void)[] = [];
  /** Full pieces that wait for their write, oldest first; of the first, `#offset` characters are written. */
  readonly #pieces: string[] = [];
  #offset = 0;
  /** The piece that is being filled. */
  #open = "";
  #queued = 0;
  #inFlight = 0;
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
    stream.on("error", (error: NodeJS.ErrnoException) => this.#break(error.code ?? error.message));
    stream.on("close", () => this.#break("closed"));
  }

  /** Queues one line; after {@link end}, or when the reader is gone, drops it. */
  send(line: string): void {
    if (this.#isBroken || this.#isEnding) {
      this.#isStuck ||= this.#isBroken;
      return;
    }
    this.#open += line + "\n";
    this.#queued += line.length + 1;
    if (this.#open.length >= writeLength) this.#closePiece();
    if (!this.#isScheduled && this.#inFlight === 0) {
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

  /** How many writes the reader has taken completely: while it {@link awaitsReader}, no change means no progress. */
  get writesTaken(): number {
    return this.#writes;
  }

  /** True while the reader has not taken what was written to it, or lines were dropped because it is gone. */
  get awaitsReader(): boolean {
    return this.#inFlight > 0 || this.#isStuck;
  }

  /** Resolves when nothing waits any more: everything was taken, or the reader is gone. The caller sets the bound. */
  flushed(): Promise<void> {
    if (this.#waiting === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** Ends the stream once everything queued is written. */
  end(): void {
    if (this.#isEnding || this.#isBroken) return;
    this.#isEnding = true;
    if (this.#waiting === 0) this.stream.end();
  }

  get #waiting(): number {
    return this.#queued + this.#inFlight;
  }

  readonly #flush = (): void => {
    this.#isScheduled = false;
    if (this.#isBroken) return;
    const text = this.#nextPiece();
    this.#queued -= text.length;
    this.#inFlight = text.length;
    this.stream.write(text, this.#taken);
  };

  readonly #taken = (error?: Error | null): void => {
    if (this.#isBroken || error) return; // The stream's error event, which follows, tells why.
    this.#inFlight = 0;
    this.#writes++;
    if (this.#isCongested && this.#queued <= this.#highWaterMark / 4) this.#setCongested(false);
    if (this.#queued > 0) {
      if (!this.#isScheduled) this.#flush();
      return;
    }
    this.#settle();
    if (this.#isEnding) this.stream.end();
  };

  #closePiece(): void {
    this.#pieces.push(this.#open);
    this.#open = "";
  }

  #nextPiece(): string {
    if (this.#pieces.length === 0) this.#closePiece();
    const piece = this.#pieces[0] ?? "";
    if (piece.length - this.#offset <= 2 * writeLength) {
      const rest = piece.slice(this.#offset);
      this.#pieces.shift();
      this.#offset = 0;
      return rest;
    }
    const start = this.#offset;
    let end = start + writeLength;
    if (isHighSurrogate(piece.charCodeAt(end - 1))) end--;
    this.#offset = end;
    return piece.slice(start, end);
  }

  #break(reason: string): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#isStuck = this.#waiting > 0 && !this.#isEnding;
    this.#pieces.length = 0;
    this.#open = "";
    this.#queued = 0;
    this.#inFlight = 0;
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

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
