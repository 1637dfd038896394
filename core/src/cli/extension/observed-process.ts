import type { ProcessExit, StartProcess } from "../../conductor/component-process.js";
import type { ChainFailure } from "../../conductor/failure.js";
import { proxyInitializeDialect } from "../../conductor/proxy-dialect.js";
import { Frame } from "../../rpc/frame.js";

/** What was seen of a process and its chain, beside the messages themselves. */
export interface Observation {
  /** The greeting that was sent last: the one it took, if it took any. */
  greeting?: string;
  /** The first line of its stdout that is no message. */
  strayLine?: string;
  exited?: Promise<ProcessExit>;
  /** Why the chain ended before it was left. */
  failure?: ChainFailure;
}

/** The same, with what is seen noted in `seen`. */
export function observed(start: StartProcess, seen: Observation): StartProcess {
  return (name, command, handlers) => {
    const child = start(name, command, {
      line: (line) => {
        if (line.trim() !== "" && !Frame.scan(line)) seen.strayLine ??= line;
        handlers.line(line);
      },
      oversize: (line) => handlers.oversize(line),
      end: () => handlers.end(),
      stalled: (ms) => handlers.stalled(ms),
    });
    seen.exited = child.exited;
    return {
      pid: child.pid,
      exited: child.exited,
      send: (line) => {
        const method = Frame.scan(line)?.methodName;
        if (method !== undefined && proxyInitializeDialect(method)) seen.greeting = method;
        child.send(line);
      },
      get isCongested() {
        return child.isCongested;
      },
      onCongestion: (listener) => child.onCongestion(listener),
      pause: () => child.pause(),
      resume: () => child.resume(),
      [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
    };
  };
}
