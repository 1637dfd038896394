import assert from "node:assert/strict";
import { runToEnd } from "../support/child.js";
import { conductorWords } from "../support/conductor-command.js";
import { HostWindow } from "../support/host-window.js";
import { arrayOf, objectOf } from "../support/json.js";
import type { RunFolder } from "../support/run-folder.js";
import { agentText } from "../support/scripted-programs.js";
import { commandEnvironment, createCommandFolder } from "../support/started-command.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs, until } from "../support/until.js";

/** Rounds of `kill -9` at a random moment. A killed agent or host takes seconds, since the next round starts new processes. */
const rounds = { client: 150, agent: 20, host: 10 };
const limitMs = 60_000;
/** The agent itself; the command lines of its conductor and clients name it too. */
const agentProgram = /^(?!.* run-with ).*agent-main/;
const lines = 12;
const questionAt = 6;
const script = Array.from({ length: lines }, (_, line) => (line === questionAt ? "permission" : `echo ${line}`));
/** The agent's text: numbers, and once the answer that it got. */
const whole = /^0\n1\n2\n3\n4\n5\nsession\/request_permission result [^\n]*\n7\n8\n9\n10\n11\n$/;
/** Any beginning of that text which ends with a whole line. */
const begun = /^(?:0\n(?:1\n(?:2\n(?:3\n(?:4\n(?:5\n(?:session\/request_permission result [^\n]*\n[^]*)?)?)?)?)?)?)?$/;

describe("the host, whose processes are killed", function () {
  this.timeout(scaledMs(240_000));
  const scope = useTestScope();
  let folder: RunFolder;

  beforeEach(async () => {
    folder = scope().use(await createCommandFolder(JSON.stringify({ proxies: [] })));
    scope().defer(async () => {
      await host("stop");
      assert.deepEqual(await survivingProcesses(folder.root), new Map());
    });
  });

  async function host(...words: readonly string[]): Promise<string> {
    const options = { env: commandEnvironment(folder), cwd: folder.workspace };
    return (await runToEnd({ words: [...conductorWords, "host", ...words], ...options }, limitMs)).stdout;
  }

  /** A client that allows everything, or leaves questions open. */
  function window(stack: AsyncDisposableStack, allows: boolean): HostWindow {
    const made = new HostWindow(folder, agentText(), allows ? "option-3" : undefined);
    stack.use(made.client);
    return made;
  }

  /** Resolves when the window has `count` characters of the agent's text, or its turn is over. */
  function reads(made: HostWindow, count: number, isOver: () => boolean): Promise<unknown> {
    return until(() => Promise.resolve(made.peer.text.length >= count || isOver()), Boolean, limitMs);
  }

  async function pidOf(pattern: RegExp): Promise<number> {
    const found = [...(await survivingProcesses(folder.root, 0))].find(([, words]) => pattern.test(words));
    return found?.[0] ?? assert.fail(`no process of ${pattern.source}`);
  }

  function kill(pid: number | undefined): void {
    assert.ok(pid !== undefined);
    process.kill(pid, "SIGKILL");
  }

  it(`shows the others the whole turn when the client is killed that sent it (${rounds.client} times)`, async () => {
    const stays = window(scope(), true);
    await stays.client.initialize();
    for (let round = 0; round < rounds.client; round++) {
      await using stack = new AsyncDisposableStack();
      const first = window(stack, round % 2 === 0);
      const id = await first.open();
      await stays.load(id);
      const before = stays.peer.text.length;
      void first.prompt(id, script.join("\n"));
      // The first character shows that the host has the prompt.
      const moment = before + 1 + Math.floor(Math.random() * 80);
      const isOver = (): boolean => whole.test(stays.peer.text.slice(before));
      await reads(stays, moment, isOver);
      kill(first.client.child.process.pid);
      await until(
        () => Promise.resolve(stays.peer.text.slice(before)),
        (text) => whole.test(text),
        limitMs,
      );
      assert.match(stays.peer.text.slice(before), whole, `round ${round}, killed at ${moment - before}`);
      await stays.client.request("session/close", { sessionId: id });
    }
    assert.deepEqual(stays.client.faults, []);
  });

  it(`tells every client that the agent has ended when it is killed (${rounds.agent} times)`, async () => {
    for (let round = 0; round < rounds.agent; round++) {
      await using stack = new AsyncDisposableStack();
      const [first, second] = [window(stack, false), window(stack, round % 2 === 0)];
      const id = await first.open();
      await second.load(id);
      let isOver = false;
      const turn = first.client
        .request("session/prompt", { sessionId: id, prompt: [{ type: "text", text: script.join("\n") }] })
        .finally(() => (isOver = true));
      const moment = Math.floor(Math.random() * (round % 2 === 0 ? 80 : 12));
      await reads(second, moment, () => isOver);
      kill(await pidOf(agentProgram));
      await turn;
      // Neither has a gap or a repetition: both have the beginning of the whole text.
      for (const { peer } of [first, second])
        assert.ok(begun.test(peer.text), `round ${round}, killed at ${moment}: ${peer.text}`);
      await until(
        () =>
          pidOf(agentProgram).then(
            () => false,
            () => true,
          ),
        Boolean,
        limitMs,
      );
    }
  });

  it(`ends all processes when the host is killed, and the next host lists the session (${rounds.host} times)`, async () => {
    for (let round = 0; round < rounds.host; round++) {
      await using stack = new AsyncDisposableStack();
      const first = window(stack, round % 2 === 0);
      const id = await first.open();
      void first.prompt(id, script.join("\n"));
      await reads(first, Math.floor(Math.random() * (round % 2 === 0 ? 80 : 12)), () => false);
      kill(await pidOf(/host serve/));
      assert.deepEqual(await survivingProcesses(folder.root), new Map());
      const second = window(stack, true);
      await second.client.initialize();
      const { value } = await second.client.request("session/list", { cwd: folder.workspace });
      const listed = arrayOf(objectOf(value)["sessions"]).map((entry) => objectOf(entry)["sessionId"]);
      assert.ok(listed.includes(id), `round ${round}: ${listed.join(", ")}`);
    }
  });
});
