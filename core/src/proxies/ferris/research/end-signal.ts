/** A signal that is aborted when one of `signals` is, or when the time is over. Disposing lets go of all of them. */
export class EndSignal implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: TimerHandle;
  #isTimeout = false;

  constructor(
    private readonly signals: readonly AbortSignal[],
    timeoutMs: number,
  ) {
    this.#timer = setTimeout(() => {
      this.#isTimeout = true;
      this.#controller.abort();
    }, timeoutMs);
    for (const signal of signals) {
      if (signal.aborted) this.#controller.abort();
      signal.addEventListener("abort", this.#abort, { once: true });
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The time was over before anything else. */
  get isTimeout(): boolean {
    return this.#isTimeout;
  }

  /** Resolves when the signal is aborted. */
  get aborted(): Promise<void> {
    return new Promise((resolve) => {
      if (this.signal.aborted) resolve();
      else this.signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    for (const signal of this.signals) signal.removeEventListener("abort", this.#abort);
  }

  readonly #abort = (): void => this.#controller.abort();
}
