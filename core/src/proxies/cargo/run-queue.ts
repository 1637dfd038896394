/** Lets one run at a time use a thing that is named by a key; the others wait in the order in which they came. */
export class RunQueue {
  readonly #last = new Map<string, Promise<void>>();

  /**
   * Resolves when it is this run's turn, with the function that ends the turn; with undefined when `signal` is aborted
   * before. `waits` is called when another has the turn.
   */
  async take(key: string, signal: AbortSignal, waits: () => void): Promise<(() => void) | undefined> {
    const previous = this.#last.get(key);
    let end: () => void = () => undefined;
    const turn = new Promise<void>((resolve) => (end = resolve));
    const whole = (previous ?? Promise.resolve()).then(() => turn);
    this.#last.set(key, whole);
    void whole.then(() => {
      if (this.#last.get(key) === whole) this.#last.delete(key);
    });
    if (previous) {
      waits();
      await Promise.race([previous, aborted(signal)]);
    }
    if (!signal.aborted) return end;
    end();
    return undefined;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
