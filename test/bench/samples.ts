import { percentile } from "./statistics.js";

/** Measured values by the name of their lane. */
export class Samples {
  readonly #values = new Map<string, number[]>();

  add(name: string, value: number): void {
    const values = this.#values.get(name);
    if (values) values.push(value);
    else this.#values.set(name, [value]);
  }

  /** Undefined for a lane without values. */
  percentile(name: string, percent: number): number | undefined {
    const values = this.#values.get(name);
    return values && percentile(values, percent);
  }

  median(name: string): number | undefined {
    return this.percentile(name, 50);
  }

  /** How much a percentile of one lane lies above that of another. */
  difference(name: string, base: string, percent = 50): number | undefined {
    const value = this.percentile(name, percent);
    const from = this.percentile(base, percent);
    return value === undefined || from === undefined ? undefined : value - from;
  }
}
