import { setTimeout as pause } from "node:timers/promises";
import { inspect } from "node:util";

const intervalMs = 50;
const limitMs = 60_000;

/** Resolves with the first value of `read` that `isWanted`; rejects after a minute, with the last one in the message. */
export async function until<T>(read: () => T | Promise<T>, isWanted: (value: T) => boolean): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    const value = await read();
    if (isWanted(value)) return value;
    if (Date.now() > end)
      throw new Error(`Not as wanted after a minute, but ${inspect(value)}: ${isWanted.toString()}`);
    await pause(intervalMs);
  }
}
