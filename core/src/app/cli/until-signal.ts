import { SymposiumError } from "../../base/symposium-error.js";
import { endOnSignals } from "../../base/node/end-on-signals.js";
import type { Environment } from "../environment.js";

/**
 * Does `work`, which a signal such as that of Ctrl-C aborts. Once it has undone what it began, `onCancelled` is called
 * and the process exits with 128 + the signal's number: this promise then never settles.
 */
export async function untilSignal<T>(
  environment: Environment,
  work: (signal: AbortSignal) => Promise<T>,
  onCancelled: () => void,
): Promise<T> {
  const stop = new AbortController();
  const working = work(stop.signal);
  using _signals = endOnSignals({
    end: async () => {
      stop.abort(new SymposiumError("cancelled", "It was cancelled."));
      await working.catch(() => undefined);
      await environment[Symbol.asyncDispose]();
      onCancelled();
    },
    kill: () => environment.kill(),
  });
  try {
    return await working;
  } catch (failure) {
    if (stop.signal.aborted) return await new Promise<never>(() => undefined);
    throw failure;
  }
}
