/** Limits for unsolicited messages, which slow down everything else: messages at once, and per second on average. */
const burst = 5_000;
const perSecond = 500;

/** Rate limiter (leaky bucket) for one server's unsolicited messages. */
export class MessageRateLimit {
  /** Messages counted, minus those that the elapsed time allows. */
  #count = 0;
  #countedAt = 0;

  /** Counts one message. Returns the reason to disconnect the server if there are too many. */
  add(): Error | undefined {
    const now = Date.now();
    const earned = ((now - this.#countedAt) / 1_000) * perSecond;
    this.#count = Math.max(0, this.#count - earned) + 1;
    this.#countedAt = now;
    if (this.#count <= burst) return undefined;
    return new Error(`it sends unrequested messages, more than ${perSecond} a second.`);
  }
}
