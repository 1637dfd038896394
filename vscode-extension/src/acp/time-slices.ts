import { setImmediate as others } from "node:timers/promises";

/** Maximum time to block the extension host's event loop. */
const sliceMs = 10;

/** Splits long work so that other tasks can run: `if (slices.isOver) await slices.next();`. */
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
