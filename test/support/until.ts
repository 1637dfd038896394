import { setTimeout as pause } from "node:timers/promises";
import { inspect } from "node:util";

const intervalMs = 50;
const limitMs = 60_000;

/** `ms`, multiplied by the slowness that the test runner measured (1 on a calm machine). */
function scaledMs(ms: number): number {
  const slowness = Number(process.env["SYMPOSIUM_TEST_SLOWNESS"]);
  return slowness > 1 ? ms * slowness : ms;
}

/** Resolves with the first value of `read` that `isWanted`; after a scaled minute rejects with the last value. */
export async function until<T>(read: () => T | Promise<T>, isWanted: (value: T) => boolean): Promise<T> {
  const waitMs = scaledMs(limitMs);
  const end = Date.now() + waitMs;
  for (;;) {
    const value = await read();
    if (isWanted(value)) return value;
    if (Date.now() > end)
      throw new Error(`After ${Math.round(waitMs / 1000)} s still ${inspect(value)}: ${isWanted.toString()}`);
    await pause(intervalMs);
  }
}
