import type { ComponentProcess, ProcessExit } from "@symposium-dev/core";
import type { memoryChannelPair } from "@symposium-dev/core/testing";

/** A process of the test's own, behind one end of a channel. `leave` ends it; disposing does, with code 0. */
export function processOver(
  channel: ReturnType<typeof memoryChannelPair>[0],
  pid?: number,
  onLeft: () => void = () => undefined,
): { readonly process: ComponentProcess; readonly leave: (exit: ProcessExit) => void } {
  let end: (exit: ProcessExit) => void = () => undefined;
  const exited = new Promise<ProcessExit>((resolve) => (end = resolve));
  const leave = (exit: ProcessExit): void => {
    channel.end();
    onLeft();
    end(exit);
  };
  const process: ComponentProcess = {
    pid,
    exited,
    get isCongested() {
      return channel.isCongested;
    },
    send: (line) => channel.send(line),
    onCongestion: (listener) => channel.onCongestion(listener),
    pause: () => channel.pause(),
    resume: () => channel.resume(),
    [Symbol.asyncDispose]: () => {
      leave({ code: 0, signal: null, stderrTail: "" });
      return Promise.resolve();
    },
  };
  return { process, leave };
}
