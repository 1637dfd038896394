import { whenAborted } from "./until-aborted.js";

/** A signal that is aborted with the first of several; `release` stops listening to them. */
interface LinkedSignal {
  readonly signal: AbortSignal;
  release(): void;
}

/** Links signals of different lives: without `release`, the one that lives longest would keep the others. */
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
