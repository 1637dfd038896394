/**
 * Runs `work` when requested, but with a pause of `intervalMs` after each run. Requests during a run or pause share one run after the
 * pause. `work` must not reject.
 */
export class SpacedRuns {
  #isRequested = false;
  #running: Promise<void> | undefined;
  #pause: TimerHandle | undefined;

  constructor(
    private readonly work: () => Promise<void>,
    private readonly intervalMs: number,
  ) {}

  /** Runs `work` before this returns, unless a run or pause delays it. */
  request(): void {
    this.#isRequested = true;
    if (this.#running === undefined && this.#pause === undefined) this.#run();
  }

  /** Runs requested work without a pause. Resolves when nothing is requested or running. */
  async settled(): Promise<void> {
    while (this.#running !== undefined || this.#isRequested) {
      if (this.#running === undefined) this.#run();
      await this.#running;
    }
  }

  #run(): void {
    this.#isRequested = false;
    clearTimeout(this.#pause);
    this.#running = this.work().then(() => {
      this.#running = undefined;
      this.#pause = setTimeout(() => {
        this.#pause = undefined;
        if (this.#isRequested) this.#run();
      }, this.intervalMs);
      this.#pause.unref?.();
    });
  }
}
