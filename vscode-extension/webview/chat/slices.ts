/** Step of a task; returns true if more steps follow. */
type Step = () => boolean;

const sliceMs = 10;
/** Time limit in milliseconds for work that runs immediately, because such work delays the current frame. */
const atOnceMs = 5;

/**
 * Runs the page's work in slices that don't block frames or keys. Steps of one owner run in order; the owner that was added last runs
 * first, since the user looks at it.
 */
export class Slices {
  readonly #steps = new Map<object, Step>();
  readonly #channel = new MessageChannel();
  #isAwake = false;
  #end = 0;

  constructor() {
    this.#channel.port1.onmessage = () => this.#run();
  }

  /**
   * Calls `step` until it returns false, at once if the current slice has time left. A newer step of the same owner replaces the older one.
   */
  add(owner: object, step: Step): void {
    this.#steps.delete(owner);
    const now = performance.now();
    // Pause between slices for frames and keys.
    if (now > this.#end + sliceMs / 2) this.#end = now + atOnceMs;
    while (performance.now() < this.#end) if (!step()) return;
    this.#steps.set(owner, step);
    this.#wake();
  }

  remove(owner: object): void {
    this.#steps.delete(owner);
  }

  #wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    this.#channel.port2.postMessage(undefined);
  }

  #run(): void {
    this.#isAwake = false;
    this.#end = performance.now() + sliceMs;
    while (performance.now() < this.#end) {
      const latest = [...this.#steps].at(-1);
      if (latest === undefined) return;
      const [owner, step] = latest;
      if (!step() && this.#steps.get(owner) === step) this.#steps.delete(owner);
    }
    if (this.#steps.size > 0) this.#wake();
  }
}
