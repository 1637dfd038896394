/** Tells of changes soon after the first, of all together; while many are taken in, at the end. */
export class GatheredChanges {
  #isSoon = false;
  #taking = 0;

  constructor(private readonly tell: () => void) {}

  /** Many changes are being taken in: not all is known yet that there is to tell. */
  get isTaking(): boolean {
    return this.#taking > 0;
  }

  changed(): void {
    if (!this.#isSoon) setImmediate(() => this.tellNow());
    this.#isSoon = true;
  }

  tellNow(): void {
    this.#isSoon = false;
    if (!this.isTaking) this.tell();
  }

  /** Whatever changes while `work` goes on is told when it has settled. */
  async take(work: () => Promise<void>): Promise<void> {
    this.#taking++;
    try {
      await work();
    } finally {
      this.#taking--;
      this.tellNow();
    }
  }
}
