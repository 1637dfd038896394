import { Logger } from "../../../src/base/logger.js";
import { Scope } from "../../../src/base/scope.js";
import { startProcess } from "../../../src/base/node/child-component.js";
import { endOnSignals } from "../../../src/base/node/end-on-signals.js";
import { Watchdog } from "../../../src/base/node/orphan-watchdog.js";
import { stubborn, stubbornParentOfDetached } from "./component-scripts.js";

/*
 * A process that owns two components, as a conductor does. It says "ready" when they run, and ends them when its input
 * ends or a signal comes; with the argument "hang" it never gets to that.
 */
const scope = new Scope();
const watchdog = scope.add(new Watchdog());
const start = startProcess({ logger: Logger.silent, watchdog, graceMs: 20, terminationMs: 20 });
let waiting = 3;

for (const script of [stubborn, stubbornParentOfDetached]) {
  scope.add(
    start(
      "component",
      { command: process.execPath, args: ["-e", script], env: {} },
      {
        line: () => {
          // One line of the first script and two of the second.
          if (--waiting === 0) process.stdout.write("ready\n");
        },
        oversize: () => undefined,
        end: () => undefined,
        stalled: () => undefined,
      },
    ),
  );
}

const end = (): Promise<void> => {
  process.stdout.write("ending\n");
  return process.argv[2] === "hang" ? new Promise(() => undefined) : scope[Symbol.asyncDispose]();
};
endOnSignals({ end, kill: () => watchdog.kill() });
process.stdin.resume().on("end", () => void end());
