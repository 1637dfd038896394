import type { LineChannel } from "./line-channel-contract.js";

export type Flow = Pick<LineChannel, "isCongested" | "onCongestion">;

/** Delays senders until a channel accepts more data. Without a channel, never delays. */
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
