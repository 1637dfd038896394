import { setTimeout as pause } from "node:timers/promises";
import { inspect } from "node:util";

const intervalMs = 50;
const usualLimitMs = 60_000;

/** Returns a limit, or the usual one, multiplied by `SYMPOSIUM_TEST_SLOWNESS` (at least 1) on a slow machine, in whole milliseconds. */
export function scaledMs(ms = usualLimitMs): number {
  return Math.round(ms * Math.max(1, Number(process.env["SYMPOSIUM_TEST_SLOWNESS"] ?? 1) || 1));
}

/** Resolves with the first value of `read` that `isWanted`; rejects after `limitMs` (scaled) with the last value in the message. */
export async function until<T>(
  read: () => T | Promise<T>,
  isWanted: (value: T) => boolean,
  limitMs = usualLimitMs,
): Promise<T> {
  const value = await poll(read, isWanted, limitMs);
  if (isWanted(value)) return value;
  const seconds = scaledMs(limitMs) / 1_000;
  throw new Error(`Not as wanted after ${seconds} s, but ${inspect(value)}: ${isWanted.toString()}`);
}

/** Resolves with the first value of `read` that `isWanted`, or with the last value after `limitMs` (scaled). */
export async function poll<T>(
  read: () => T | Promise<T>,
  isWanted: (value: T) => boolean,
  limitMs = usualLimitMs,
): Promise<T> {
  const end = Date.now() + scaledMs(limitMs);
  for (;;) {
    const value = await read();
    if (isWanted(value) || Date.now() >= end) return value;
    await pause(intervalMs);
  }
}
