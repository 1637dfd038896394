/** Calls `action` when `signal` is aborted, at once where it is already: nobody hears of that any more. */
export function whenAborted(signal: AbortSignal, action: () => void): void {
  if (signal.aborted) action();
  else signal.addEventListener("abort", action, { once: true });
}

/** Resolves when `signal` is aborted. */
export function abortOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => whenAborted(signal, () => resolve()));
}

/** What `work` comes to, unless `signal` is aborted first: then it rejects with the signal's reason. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error("It was given up."));
    whenAborted(signal, giveUp);
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", giveUp));
  });
}

/** Resolves when `work` has, or after a time; says whether it was in time. */
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
