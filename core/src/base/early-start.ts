import type { Command } from "./command.js";
import type { ComponentProcess, ProcessHandlers, StartProcess } from "./component-process.js";

/** Started component that waits for its chain. Disposing ends the process. */
interface EarlyStart extends AsyncDisposable {
  /** Returns the running process at the first call, followed by its output so far. Starts another process at later calls. */
  readonly start: StartProcess;
}

/** Starts a component before its chain exists, so that both load at the same time. */
export function startEarly(start: StartProcess, name: string, command: Command): EarlyStart {
  const waiting: ((handlers: ProcessHandlers) => void)[] = [];
  let current: ProcessHandlers = {
    line: (line) => void waiting.push((handlers) => handlers.line(line)),
    oversize: (line) => void waiting.push((handlers) => handlers.oversize(line)),
    end: () => void waiting.push((handlers) => handlers.end()),
    stalled: (ms) => void waiting.push((handlers) => handlers.stalled(ms)),
  };
  const process = start(name, command, {
    line: (line) => current.line(line),
    oversize: (line) => current.oversize(line),
    end: () => current.end(),
    stalled: (ms) => current.stalled(ms),
  });
  let isTaken = false;
  return {
    start: (...given): ComponentProcess => {
      if (isTaken) return start(...given);
      isTaken = true;
      const [, , handlers] = given;
      // The caller has the process before its handlers are called.
      queueMicrotask(() => {
        for (const event of waiting) event(handlers);
        current = handlers;
      });
      return process;
    },
    [Symbol.asyncDispose]: () => process[Symbol.asyncDispose](),
  };
}
