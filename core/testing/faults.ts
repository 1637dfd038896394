import { SymposiumError } from "../src/base/symposium-error.js";

/** Misbehaviour that takes a process. */
export interface Faults {
  /** Ends the process, after what was sent before has left. */
  exit(code: number): void;
  /** Writes `text` to stdout unchanged, in order with the messages. Adds no newline. */
  write(text: string): void;
  writeStderr(text: string): void;
  /** Takes no further input, and stays. */
  stopReading(): void;
  /** Stays when the input has ended. */
  ignoreEndOfInput(): void;
  /** Starts a process of its own that outlives this one; returns its id. */
  startChild(): number | undefined;
}

/** Faults of a part that runs in its test's process. Every fault throws an error that names the program to use instead. */
export const inProcessFaults: Faults = {
  exit: () => unavailable("exit"),
  write: () => unavailable("write to stdout"),
  writeStderr: () => unavailable("write to stderr"),
  stopReading: () => unavailable("stop reading"),
  ignoreEndOfInput: () => unavailable("ignore the end of its input"),
  startChild: () => unavailable("start a child process"),
};

function unavailable(act: string): never {
  throw new SymposiumError(
    "invalid-arguments",
    `A scripted part cannot ${act} in the process of its test.`,
    "Run testing/node/agent-main.js instead.",
  );
}
