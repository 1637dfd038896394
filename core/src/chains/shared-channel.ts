import type { LineChannel } from "../base/line-channel.js";

/**
 * The client's channel, shared by chains: it is read while none of them has it paused, and a chain that has ended
 * neither hears of it nor holds it up.
 */
export class SharedChannel {
  readonly #listeners = new Set<() => void>();
  readonly #pausing = new Set<object>();

  constructor(private readonly channel: LineChannel) {
    channel.onCongestion(() => {
      for (const listener of [...this.#listeners]) listener();
    });
  }

  /** The channel as one chain sees it, until it is disposed of. */
  view(): LineChannel & Disposable {
    const { channel } = this;
    const own: (() => void)[] = [];
    let hasEnded = false;
    const view = {
      send: (line: string) => channel.send(line),
      get isCongested(): boolean {
        return channel.isCongested;
      },
      onCongestion: (listener: () => void) => {
        own.push(listener);
        this.#listeners.add(listener);
      },
      pause: () => {
        if (hasEnded) return;
        this.#pausing.add(view);
        channel.pause();
      },
      resume: () => this.#resume(view),
      [Symbol.dispose]: () => {
        hasEnded = true;
        for (const listener of own) this.#listeners.delete(listener);
        this.#resume(view);
      },
    };
    return view;
  }

  #resume(view: object): void {
    if (this.#pausing.delete(view) && this.#pausing.size === 0) this.channel.resume();
  }
}
