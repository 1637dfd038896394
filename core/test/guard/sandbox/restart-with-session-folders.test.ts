import assert from "node:assert/strict";
import type { ComponentProcess, ProcessExit, ProcessHandlers } from "../../../src/base/component-process.js";
import { SandboxedAgent } from "../../../src/guard/sandbox/restart-with-session-folders.js";

/** A process that answers each request, once it is told to. */
class Played {
  readonly lines: string[] = [];
  handlers: ProcessHandlers | undefined;
  end: (exit: ProcessExit) => void = () => undefined;
  isEnded = false;

  constructor(readonly roots: readonly string[]) {}

  process(handlers: ProcessHandlers): ComponentProcess {
    this.handlers = handlers;
    const exited = new Promise<ProcessExit>((resolve) => (this.end = resolve));
    return {
      pid: 1,
      exited,
      send: (line) => this.lines.push(line),
      isCongested: false,
      onCongestion: () => undefined,
      pause: () => undefined,
      resume: () => undefined,
      [Symbol.asyncDispose]: () => {
        this.isEnded = true;
        this.handlers?.end();
        this.end({ code: 0, signal: null, stderrTail: "" });
        return Promise.resolve();
      },
    };
  }

  answer(id: number): void {
    this.handlers?.line(JSON.stringify({ id, result: this.roots }));
  }
}

const initialize = JSON.stringify({ id: 1, method: "initialize" });
const open = JSON.stringify({ id: 2, method: "session/new" });

function stage(): { agent: SandboxedAgent; started: Played[]; got: string[] } {
  const [started, got] = [[] as Played[], [] as string[]];
  const agent = new SandboxedAgent(
    (roots, _name, _command, handlers) => {
      const played = new Played(roots);
      started.push(played);
      return played.process(handlers);
    },
    {
      name: "agent",
      command: { command: "agent", args: [], env: {} },
      handlers: {
        line: (line) => got.push(line),
        oversize: () => got.push("oversize"),
        end: () => got.push("end"),
        stalled: () => got.push("stalled"),
      },
    },
    ["/likely"],
  );
  return { agent, started, got };
}

describe("an agent in a sandbox", () => {
  it("starts once more for the folders of its first session, greeted as before, and its owner sees one process", async () => {
    const { agent, started, got } = stage();
    agent.send(initialize);
    started[0]?.answer(1);
    const restarted = agent.restart(["/meant"]);
    agent.send(open);
    while (started.length < 2) await Promise.resolve();
    const [, second] = started;
    assert.deepEqual(second?.lines, [initialize]);
    second.answer(1);
    await restarted;
    second.answer(2);
    assert.deepEqual(
      [second.lines, second.roots, started[0]?.isEnded, got],
      [[initialize, open], ["/meant"], true, ['{"id":1,"result":["/likely"]}', '{"id":2,"result":["/meant"]}']],
    );
  });

  it("passes on the answer that the first process still owed", async () => {
    const { agent, started, got } = stage();
    agent.send(initialize);
    await agent.restart(["/meant"]);
    started[1]?.answer(1);
    assert.deepEqual(got, ['{"id":1,"result":["/meant"]}']);
  });

  it("ends when its second process ends by itself, also before that has answered", async () => {
    const { agent, started } = stage();
    agent.send(initialize);
    started[0]?.answer(1);
    const restarted = agent.restart(["/meant"]);
    while (started.length < 2) await Promise.resolve();
    started[1]?.end({ code: 3, signal: null, stderrTail: "" });
    await restarted;
    assert.equal((await agent.exited).code, 3);
  });

  it("keeps its folders once a session has begun", () => {
    const { agent } = stage();
    assert.equal(agent.canRestart, true);
    agent.settle();
    assert.deepEqual([agent.canRestart, agent.workspaceRoots], [false, ["/likely"]]);
  });
});
