/** One step of a piece of work; true while there is more to do. */
type Step = () => boolean;

const sliceMs = 10;
/** What is done at once stands in the way of the frame that is being made. */
const atOnceMs = 5;

/**
 * Work of the page in slices that never hold up a frame or a key. Steps of one owner run in order; the owner that
 * asked last comes first, because it is what the user looks at.
 */
export class Slices {
  readonly #steps = new Map<object, Step>();
  readonly #channel = new MessageChannel();
  #isAwake = false;
  #end = 0;

  constructor() {
    this.#channel.port1.onmessage = () => this.#run();
  }

  /** Calls `step` until it returns false, at once while the present slice has time left; a newer step of the same owner takes the place of an older one. */
  add(owner: object, step: Step): void {
    this.#steps.delete(owner);
    const now = performance.now();
    // A slice is over for this long before the next one begins: time for frames and keys.
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
