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
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  }
  return {
    signal: controller.signal,
    release: () => {
      for (const signal of signals) signal.removeEventListener("abort", abort);
    },
  };
}
