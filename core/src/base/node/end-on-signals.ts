import { constants } from "node:os";

interface EndOnSignalsOptions {
  /** Ends everything in order; called once. The process exits when it has settled. */
  end(signal: NodeJS.Signals): Promise<void>;
  /** A second signal came and the process exits now: sees to it that what the orderly end has not reached is killed. */
  kill(): void;
  /** Which signals; a program with a meaning of its own for Ctrl-C leaves SIGINT out. */
  readonly signals?: readonly NodeJS.Signals[];
}

const endingSignals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/**
 * Turns SIGTERM, SIGINT and SIGHUP, or the given signals, into an orderly end with exit code 128 + number; a second signal exits at once.
 * Disposing restores the default behaviour.
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
