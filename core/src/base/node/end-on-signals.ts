import { constants } from "node:os";

interface EndOnSignalsOptions {
  /** Shuts down in order; called once. The process exits after the promise settles. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** Called before the immediate exit on a second signal; must kill everything that the orderly shutdown hasn't reached. */
  kill(): void;
  /** Signals to handle. Programs that handle Ctrl-C themselves omit SIGINT. */
  readonly signals?: readonly NodeJS.Signals[];
}

const endingSignals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/**
 * Handles SIGTERM, SIGINT and SIGHUP, or the given signals, by an orderly shutdown with exit code 128 plus the signal number. A second
 * signal exits immediately; disposing restores the default behavior.
 */
export function endOnSignals(options: EndOnSignalsOptions): Disposable {
  const { signals = endingSignals } = options;
  let isEnding = false;
  const handle = (signal: NodeJS.Signals): void => {
    const exit = (): never => process.exit(128 + constants.signals[signal]);
    if (isEnding) {
      options.kill();
      exit();
    }
    isEnding = true;
    options.end(signal).then(exit, exit);
  };
  for (const signal of signals) process.on(signal, handle);
  return {
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, handle);
    },
  };
}
