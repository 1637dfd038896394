/** Tells of changes soon after the first, of all together; while many are taken in, at the end. */
export class GatheredChanges {
  #isSoon = false;
  readonly #taking = new Set<Promise<unknown>>();

  constructor(private readonly tell: () => void) {}

  /** Many changes are being taken in: not all is known yet that there is to tell. */
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

  /** Resolves when all that has changed is told. Not to be awaited by what is being taken in. */
  async whenTold(): Promise<void> {
    while (this.isTaking) await Promise.allSettled(this.#taking);
    if (this.#isSoon) this.tellNow();
  }

  /** Whatever changes while `work` goes on is told when it has settled. */
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
