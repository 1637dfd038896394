/** Maximum number of buffered updates; the oldest are dropped. */
const maxEarly = 10_000;

interface EarlyUpdate<Update> {
  readonly session: string;
  readonly update: Update;
}

/**
 * Buffers updates of sessions with unknown ids while a session's opening response is pending, because some agents send updates before they
 * answer `session/new`.
 */
export class EarlyUpdates<Update> {
  #waiting: EarlyUpdate<Update>[] = [];
  #awaited = 0;

  /** Marks a response as pending until {@link answered}. */
  await(): void {
    this.#awaited++;
  }

  get isIdle(): boolean {
    return this.#awaited === 0;
  }

  /**
   * Buffers `update` if a response is pending, and returns whether it did. `dropped` receives the session of an older update that is
   * dropped to make room.
   */
  keeps(session: string | undefined, update: Update, dropped?: (session: string) => void): boolean {
    if (this.isIdle || session === undefined) return false;
    this.#waiting.push({ session, update });
    const oldest = this.#waiting.length > maxEarly ? this.#waiting.shift() : undefined;
    if (oldest) dropped?.(oldest.session);
    return true;
  }

  take(session: string | undefined): readonly Update[] {
    const found = this.#waiting.filter((one) => one.session === session);
    if (found.length > 0) this.#waiting = this.#waiting.filter((one) => one.session !== session);
    return found.map(({ update }) => update);
  }

  /** Marks a response as received. After the last pending response, returns the updates of sessions that no response named. */
  answered(): readonly EarlyUpdate<Update>[] {
    this.#awaited--;
    return this.isIdle ? this.#waiting.splice(0) : [];
  }
}
