import { whenAborted } from "./until-aborted.js";

/** Signal aborted by the first of several signals; `release` removes the listeners. */
interface LinkedSignal {
  readonly signal: AbortSignal;
  release(): void;
}

/**
 * Links signals with different lifetimes. Callers must call `release`; otherwise the longest-lived signal keeps the other signals in
 * memory.
 */
export function linkedSignal(signals: readonly AbortSignal[]): LinkedSignal {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  for (const signal of signals) {
    whenAborted(signal, abort);
  }
  return {
    signal: controller.signal,
    release: () => {
      for (const signal of signals) signal.removeEventListener("abort", abort);
    },
  };
}
