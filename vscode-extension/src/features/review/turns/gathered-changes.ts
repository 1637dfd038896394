/** Reports changes together soon after the first one. During bulk work, reports once at the end. */
export class GatheredChanges {
  #isSoon = false;
  readonly #taking = new Set<Promise<unknown>>();

  constructor(private readonly tell: () => void) {}

  get isTaking(): boolean {
    return this.#taking.size > 0;
  }

  changed(): void {
    if (!this.#isSoon) setImmediate(() => this.tellNow());
    this.#isSoon = true;
  }

  tellNow(): void {
    this.#isSoon = false;
    if (!this.isTaking) this.tell();
  }

  /** Resolves when all changes are reported. Must not be awaited inside `take`. */
  async whenTold(): Promise<void> {
    while (this.isTaking) await Promise.allSettled(this.#taking);
    if (this.#isSoon) this.tellNow();
  }

  /** Runs bulk `work` and reports its changes when it settles. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const taking: Promise<T> = Promise.resolve()
      .then(work)
      .finally(() => {
        this.#taking.delete(taking);
        this.tellNow();
      });
    this.#taking.add(taking);
    return taking;
  }
}
