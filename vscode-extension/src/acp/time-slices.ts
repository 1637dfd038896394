import { setImmediate as others } from "node:timers/promises";

/** How long the window may be kept from other things. */
const sliceMs = 10;

/** Divides long work, amid which others have their turn: `if (slices.isOver) await slices.next();`. */
export class TimeSlices {
  #since = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#since >= sliceMs;
  }

  async next(): Promise<void> {
    await others();
    this.#since = performance.now();
  }
}
