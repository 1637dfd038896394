import type { ServerResponse } from "node:http";

/** Limits on the amount of data that a client hasn't read, and on the time in which it reads nothing. */
export interface ReaderLimits {
  readonly mostUnreadBytes: number;
  readonly stallMs: number;
  /** Milliseconds of silence before a keep-alive comment. */
  readonly quietMs: number;
}

/** More than any answer for a person; the system buffers a few more megabytes. */
export const usualReaderLimits: ReaderLimits = {
  mostUnreadBytes: 8 * 1024 * 1024,
  stallMs: 60_000,
  quietMs: 15_000,
};

/**
 * Writes server-sent events into a response. Sends comments while an agent is silent, since clients would disconnect. Closes the response
 * if the client reads too little: slowing the agent down would slow other conversations on the same pipe.
 */
export class EventStream {
  #written = 0;
  #hasBegun = false;
  #stall: ReturnType<typeof setTimeout> | undefined;
  #quiet: ReturnType<typeof setTimeout> | undefined;

  /** `onGivenUp` receives the number of unread bytes before the response closes. */
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

  /** Number of bytes that the operating system hasn't accepted yet. */
  get unreadBytes(): number {
    return this.response.writableLength;
  }

  /** Sends events in the format of {@link eventOf}. */
  send(events: string): void {
    this.#begin();
    this.#written += Buffer.byteLength(events);
    this.response.write(events);
    this.#watch();
    this.#listenForQuiet();
  }

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

  /** Number of bytes that the operating system has accepted. The number increases as the client reads. */
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

/** Formats one event with a JSON value and an optional type line. */
export function eventOf(value: unknown, type?: string): string {
  return `${type === undefined ? "" : `event: ${type}\n`}data: ${JSON.stringify(value)}\n\n`;
}
