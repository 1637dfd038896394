import type { ServerResponse } from "node:http";

/** How much of an answer a client may leave unread, and for how long it may read nothing of it. */
export interface ReaderLimits {
  readonly mostUnreadBytes: number;
  readonly stallMs: number;
  /** After how long without a word a client gets a sign that the answer still comes. */
  readonly quietMs: number;
}

/** Longer than any answer that a person would read; the system holds some megabytes beside. */
export const usualReaderLimits: ReaderLimits = {
  mostUnreadBytes: 8 * 1024 * 1024,
  stallMs: 60_000,
  quietMs: 15_000,
};

/**
 * Server-sent events into a response; the head goes out with the first one. Agents work for minutes without a word, and
 * clients hang up on what is silent: a comment, which they pass over, goes out meanwhile. A client that reads too little
 * is given up: the response is closed, as if the client had left, and what comes then is dropped. Agents cannot be slowed
 * down, since other conversations come over the same pipe.
 */
export class EventStream {
  #written = 0;
  #hasBegun = false;
  #stall: ReturnType<typeof setTimeout> | undefined;
  #quiet: ReturnType<typeof setTimeout> | undefined;

  /** `onGivenUp` gets how many bytes were left unread, before the response closes. */
  constructor(
    private readonly response: ServerResponse,
    private readonly limits: ReaderLimits,
    private readonly onGivenUp: (unreadBytes: number) => void,
  ) {
    const settle = (): void => this.#settle();
    const leave = (): void => {
      this.#settle();
      clearTimeout(this.#quiet);
    };
    response.on("drain", settle).once("finish", leave).once("close", leave);
    this.#listenForQuiet();
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Sends events as {@link eventOf} makes them. */
  send(events: string): void {
    this.#begin();
    this.#written += Buffer.byteLength(events);
    this.response.write(events);
    this.#watch();
    this.#listenForQuiet();
  }

  /** Sends the last events. */
  end(events: string): void {
    clearTimeout(this.#quiet);
    this.#begin();
    this.#written += Buffer.byteLength(events);
    this.response.end(events);
    this.#watch();
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  }

  #listenForQuiet(): void {
    clearTimeout(this.#quiet);
    if (this.response.destroyed) return;
    this.#quiet = setTimeout(() => {
      if (!this.response.writableEnded) this.send(": at work\n\n");
    }, this.limits.quietMs).unref();
  }

  #watch(): void {
    const { writableLength: unread, destroyed } = this.response;
    if (destroyed || unread === 0) return;
    if (unread > this.limits.mostUnreadBytes) return this.#giveUp();
    if (this.#stall !== undefined) return;
    const before = this.#read;
    this.#stall = setTimeout(() => {
      this.#settle();
      if (this.#read <= before) this.#giveUp();
      else this.#watch();
    }, this.limits.stallMs).unref();
  }

  /** Bytes that the system has taken: it does so as the client reads. */
  get #read(): number {
    return this.#written - this.response.writableLength;
  }

  #giveUp(): void {
    this.#settle();
    this.onGivenUp(this.response.writableLength);
    this.response.destroy();
  }

  #settle(): void {
    clearTimeout(this.#stall);
    this.#stall = undefined;
  }
}

/** One event with a JSON value; its type goes on a line of its own where it has one. */
export function eventOf(value: unknown, type?: string): string {
  return `${type === undefined ? "" : `event: ${type}\n`}data: ${JSON.stringify(value)}\n\n`;
}
