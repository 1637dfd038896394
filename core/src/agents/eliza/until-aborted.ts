/** What `promise` brings, or undefined as soon as `signal` is aborted; what comes later is dropped. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    function stop(): void {
      resolve(undefined);
    }
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    void promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
