import type { Json } from "../../rpc/json.js";

/** One message that arrived. */
interface Arrival {
  readonly method: string;
  readonly params: Json | undefined;
}

/** What has arrived at one end of a chain, and a way to wait for what has not. */
export class Arrivals {
  readonly #all: Arrival[] = [];
  readonly #waiting = new Map<(arrival: Arrival) => boolean, (arrival: Arrival) => void>();

  add(arrival: Arrival): void {
    this.#all.push(arrival);
    for (const [isMatch, resolve] of this.#waiting) {
      if (!isMatch(arrival)) continue;
      this.#waiting.delete(isMatch);
      resolve(arrival);
    }
  }

  /** The first that matches, of those that are there or come within `ms`; undefined when none does. */
  async first(isMatch: (arrival: Arrival) => boolean, ms: number): Promise<Arrival | undefined> {
    const present = this.#all.find(isMatch);
    if (present) return present;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, ms, undefined)));
    const own = (arrival: Arrival): boolean => isMatch(arrival);
    const arriving = new Promise<Arrival>((resolve) => this.#waiting.set(own, resolve));
    try {
      return await Promise.race([arriving, late]);
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(own);
    }
  }
}
