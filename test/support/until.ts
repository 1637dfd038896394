import { setTimeout as pause } from "node:timers/promises";

const intervalMs = 50;
const limitMs = 60_000;

/** Resolves with the first value of `read` that `isWanted`; after a minute with the last one, for the assertion to show. */
export async function until<T>(read: () => T | Promise<T>, isWanted: (value: T) => boolean): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    const value = await read();
    if (isWanted(value) || Date.now() > end) return value;
    await pause(intervalMs);
  }
}
