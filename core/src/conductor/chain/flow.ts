import type { LineChannel } from "../../base/line-channel.js";

/**
 * Back-pressure from end to end: a channel is not read while a neighbour that gets its messages cannot keep
 * up. The memory of a chain is bounded by the high-water marks, and a slow editor slows the agent.
 */
export class Flow {
  readonly #paused = new Set<LineChannel>();

  /** `channels` in chain order, starting with the editor's. `isRing`: the last one's successor is the first again. */
  constructor(
    private readonly channels: readonly LineChannel[],
    private readonly isRing: boolean,
  ) {
    for (const channel of channels) channel.onCongestion(() => this.#update());
  }

  #update(): void {
    for (const [index, channel] of this.channels.entries()) {
      const mustWait = this.#mustWait(index, channel);
      if (mustWait === this.#paused.has(channel)) continue;
      if (mustWait) {
        this.#paused.add(channel);
        channel.pause();
      } else {
        this.#paused.delete(channel);
        channel.resume();
      }
    }
  }

  /**
   * Who takes no input itself may be blocked in its output: to stop reading it would be a deadlock. Only the single
   * channel of a ring has nobody but itself to wait for.
   */
  #mustWait(index: number, channel: LineChannel): boolean {
    if (this.channels.length === 1) return this.isRing && channel.isCongested;
    return !channel.isCongested && (this.#isCongested(index - 1) || this.#isCongested(index + 1));
  }

  #isCongested(index: number): boolean {
    const { length } = this.channels;
    const place = this.isRing ? (index + length) % length : index;
    return this.channels[place]?.isCongested === true;
  }
}
