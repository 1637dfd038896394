import assert from "node:assert/strict";
import type { ComponentProcess, ProcessHandlers, StartProcess } from "../../src/base/component-process.js";
import { startEarly } from "../../src/base/early-start.js";

describe("startEarly", () => {
  const command = { command: "agent", args: [], env: {} };

  function program(): {
    readonly start: StartProcess;
    readonly processes: ComponentProcess[];
    readonly handlers: ProcessHandlers[];
    readonly ended: number[];
  } {
    const processes: ComponentProcess[] = [];
    const handlers: ProcessHandlers[] = [];
    const ended: number[] = [];
    const start: StartProcess = (_name, _command, given) => {
      const pid = handlers.push(given);
      const process: ComponentProcess = {
        pid,
        exited: new Promise(() => undefined),
        isCongested: false,
        send: () => undefined,
        onCongestion: () => undefined,
        pause: () => undefined,
        resume: () => undefined,
        [Symbol.asyncDispose]: () => Promise.resolve(void ended.push(pid)),
      };
      processes.push(process);
      return process;
    };
    return { start, processes, handlers, ended };
  }

  function collecting(seen: string[]): ProcessHandlers {
    return {
      line: (line) => void seen.push(line),
      oversize: () => void seen.push("oversize"),
      end: () => void seen.push("end"),
      stalled: (ms) => void seen.push(`stalled ${ms}`),
    };
  }

  it("starts the process at once and gives it to the first chain, and another one to the next", () => {
    const { start, processes } = program();
    const early = startEarly(start, "agent", command);
    assert.equal(processes.length, 1);
    const taken = [1, 2].map(() => early.start("agent", command, collecting([])));
    assert.deepEqual(
      taken.map((process) => process === processes[0]),
      [true, false],
    );
    assert.equal(taken[1], processes[1]);
  });

  it("passes on what came before the chain, in order, once the chain has the process", async () => {
    const { start, handlers } = program();
    const early = startEarly(start, "agent", command);
    handlers[0]?.line("first");
    const seen: string[] = [];
    early.start("agent", command, collecting(seen));
    handlers[0]?.stalled(5);
    assert.deepEqual(seen, []);
    await Promise.resolve();
    handlers[0]?.line("last");
    handlers[0]?.end();
    assert.deepEqual(seen, ["first", "stalled 5", "last", "end"]);
  });

  it("ends a process that no chain took", async () => {
    const { start, ended } = program();
    await startEarly(start, "agent", command)[Symbol.asyncDispose]();
    assert.deepEqual(ended, [1]);
  });
});
