const delaysMs = [500, 2_000, 8_000] as const;
const windowMs = 5 * 60_000;

/** Decides whether an agent that has crashed is started again by itself, and when: three times in five minutes. */
export class RestartPolicy {
  #crashes: number[] = [];

  /** Notes a crash. Returns the milliseconds to wait before the next start, or undefined when the user should decide. */
  afterCrash(now: number): number | undefined {
    this.#crashes = this.#crashes.filter((at) => now - at < windowMs);
    this.#crashes.push(now);
    return delaysMs[this.#crashes.length - 1];
  }

  /** The user has decided to start it: earlier crashes no longer count. */
  reset(): void {
    this.#crashes = [];
  }
}
