import type { Writable } from "node:stream";
import type { LineChannel } from "../../base/line-channel-contract.js";
import type { Peer } from "../../base/rpc/peer.js";

/** Number of bytes waiting for the reader that marks congestion, until the reader has taken all. */
const highWaterMark = 1024 * 1024;

/**
 * The client's channel of a chat that prints to `output`. A slow reader slows down the agent, which bounds the chat's memory. Sends and reads
 * nothing itself.
 */
export class ReaderFlow implements LineChannel {
  readonly #listeners: (() => void)[] = [];
  #isCongested = false;

  constructor(private readonly output: Writable) {
    for (const event of ["drain", "error", "close"]) output.on(event, () => this.#set(false));
  }

  get isCongested(): boolean {
    return this.#isCongested;
  }

  onCongestion(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Returns a peer that passes messages to `client`, and then checks whether the output is congested. */
  before(client: Peer): Peer {
    return {
      request: (request, reply) => client.request(request, reply),
      notify: (notification) => {
        client.notify(notification);
        if (this.output.writableLength > highWaterMark && !this.output.destroyed) this.#set(true);
      },
    };
  }

  send(): void {}
  pause(): void {}
  resume(): void {}

  #set(isCongested: boolean): void {
    if (this.#isCongested === isCongested) return;
    this.#isCongested = isCongested;
    for (const listener of this.#listeners) listener();
  }
}
