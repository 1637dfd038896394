/** Most updates that wait; beyond that the oldest go. */
const maxEarly = 10_000;

/** An update and its session. */
interface EarlyUpdate<Update> {
  readonly session: string;
  readonly update: Update;
}

/**
 * Updates of sessions whose id nobody has heard yet: some agents send them before they answer `session/new`. They wait while
 * such an answer is awaited.
 */
export class EarlyUpdates<Update> {
  #waiting: EarlyUpdate<Update>[] = [];
  #awaited = 0;

  /** An answer is awaited, until {@link answered}. */
  await(): void {
    this.#awaited++;
  }

  get isIdle(): boolean {
    return this.#awaited === 0;
  }

  /** Whether `update` waits. `dropped` gets the session of one that goes for it. */
  keeps(session: string | undefined, update: Update, dropped?: (session: string) => void): boolean {
    if (this.isIdle || session === undefined) return false;
    this.#waiting.push({ session, update });
    const oldest = this.#waiting.length > maxEarly ? this.#waiting.shift() : undefined;
    if (oldest) dropped?.(oldest.session);
    return true;
  }

  /** Takes what waits of `session`, in the order of arrival. */
  take(session: string | undefined): readonly Update[] {
    const found = this.#waiting.filter((one) => one.session === session);
    if (found.length > 0) this.#waiting = this.#waiting.filter((one) => one.session !== session);
    return found.map(({ update }) => update);
  }

  /** An answer is there. Returns what waits of sessions that it did not name, once no other answer is awaited. */
  answered(): readonly EarlyUpdate<Update>[] {
    this.#awaited--;
    return this.isIdle ? this.#waiting.splice(0) : [];
  }
}
