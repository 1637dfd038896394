import { whenAborted } from "./until-aborted.js";

/** Signal aborted by the first of several signals or by a time limit; disposing removes the listeners and the timer. */
interface LinkedSignal extends Disposable {
  readonly signal: AbortSignal;
  /** Whether the time limit has passed. */
  readonly isLate: boolean;
}

/**
 * Links signals with different lifetimes, and a time limit of `ms` milliseconds if given. Callers must dispose of the result; otherwise the
 * longest-lived signal keeps the other signals in memory.
 */
export function linkedSignal(signals: readonly AbortSignal[], ms?: number): LinkedSignal {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  let isLate = false;
  const end = (): void => {
    isLate = true;
    abort();
  };
  const timer = ms === undefined ? undefined : setTimeout(end, ms);
  for (const signal of signals) whenAborted(signal, abort);
  return {
    signal: controller.signal,
    get isLate() {
      return isLate;
    },
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener("abort", abort);
    },
  };
}
