import type { LineChannel } from "../../base/line-channel-contract.js";

/**
 * End-to-end back-pressure: pauses reading a channel while a neighbor that receives its messages is congested. This bounds a chain's
 * memory, and lets a slow editor slow down the agent.
 */
export class Flow {
  readonly #paused = new Set<LineChannel>();

  /** `channels` are in chain order, starting with the editor's. `isRing` means that the last channel's successor is the first channel. */
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
   * A congested component may be blocked on its output, so pausing its reads could deadlock. The single channel of a ring waits only for
   * itself.
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
