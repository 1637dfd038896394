import { SymposiumError } from "../../base/symposium-error.js";
import { endOnSignals } from "../../base/node/end-on-signals.js";
import type { Environment } from "../environment.js";

/**
 * Runs `work`; SIGINT and similar signals abort it. After `work` has cleaned up, calls `onCancelled` and exits with 128 plus the signal
 * number, so the promise never settles.
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
