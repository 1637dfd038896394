/** Messages that nobody asked for cost the time of all others: so many at once may come, and so many a second for long. */
const burst = 5_000;
const perSecond = 500;

/** Counts the messages of one server that nobody asked for. */
export class UnaskedMessages {
  /** Beyond those that were earned by waiting. */
  #count = 0;
  #countedAt = 0;

  /** One more; why the server is to be ended where that is too many. */
  add(): Error | undefined {
    const now = Date.now();
    const earned = ((now - this.#countedAt) / 1_000) * perSecond;
    this.#count = Math.max(0, this.#count - earned) + 1;
    this.#countedAt = now;
    if (this.#count <= burst) return undefined;
    return new Error(`it floods us with messages that nobody asked for, more than ${perSecond} a second.`);
  }
}
