/** Calls `action` when `signal` aborts, or immediately if `signal` has already aborted, since no event follows then. */
export function whenAborted(signal: AbortSignal, action: () => void): void {
  if (signal.aborted) action();
  else signal.addEventListener("abort", action, { once: true });
}

export function abortOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => whenAborted(signal, () => resolve()));
}

/** Resolves like `work`, or rejects with the signal's reason if `signal` aborts first. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const giveUp = (): void =>
      reject(signal.reason instanceof Error ? signal.reason : new Error("The operation was canceled."));
    whenAborted(signal, giveUp);
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}

/** Promise that resolves after `ms` milliseconds unless disposed. The timer keeps the process running only with `isAwaited`. */
export function deadlineIn(ms: number, isAwaited = false): Disposable & { readonly passed: Promise<undefined> } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const passed = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
    if (!isAwaited) timer.unref?.();
  });
  return { passed, [Symbol.dispose]: () => clearTimeout(timer) };
}

/** Resolves with true when `work` resolves, or with false after `ms` milliseconds. */
export function isDoneWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    const done = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    work.then(done, done);
  });
}
