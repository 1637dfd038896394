import type { LineChannel } from "./line-channel.js";

/** What a sender must know of a channel to honour back-pressure. */
export type Flow = Pick<LineChannel, "isCongested" | "onCongestion">;

/** Lets senders wait until a channel takes more. Without a channel it is always open. */
export class FlowGate {
  #waiting: (() => void)[] = [];

  constructor(private readonly flow: Flow | undefined) {
    flow?.onCongestion(() => {
      if (!flow.isCongested) this.#release();
    });
  }

  get isCongested(): boolean {
    return this.flow?.isCongested === true;
  }

  /** Resolves at once, or when the congestion is over. */
  drained(): Promise<void> {
    return new Promise((resolve) => {
      if (this.isCongested) this.#waiting.push(resolve);
      else resolve();
    });
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
