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

/** Rounds of `kill -9` at a random moment: 300 together. */
const rounds = { client: 180, agent: 80, host: 40 };
/** Number of hosts that run their share of the rounds at the same time, since a round mostly waits. */
const worldCount = 2;
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

/** A host with its clients and agents, in folders of its own. */
class World {
  constructor(readonly folder: RunFolder) {}

  async host(...words: readonly string[]): Promise<string> {
    const options = { env: commandEnvironment(this.folder), cwd: this.folder.workspace };
    return (await runToEnd({ words: [...conductorWords, "host", ...words], ...options }, limitMs)).stdout;
  }

  /** A client that allows everything, or leaves questions open. */
  window(stack: AsyncDisposableStack, allows: boolean): HostWindow {
    const made = new HostWindow(this.folder, agentText(), allows ? "option-3" : undefined);
    stack.use(made.client);
    return made;
  }

  /** The id of a process whose command line matches; undefined if there is none. */
  async find(pattern: RegExp): Promise<number | undefined> {
    const found = [...(await survivingProcesses(this.folder.root, 0))].find(([, words]) => pattern.test(words));
    return found?.[0];
  }
}

/** Resolves when the window has `count` characters of the agent's text, or its turn is over. */
function reads(made: HostWindow, count: number, isOver: () => boolean): Promise<unknown> {
  return until(() => Promise.resolve(made.peer.text.length >= count || isOver()), Boolean, limitMs);
}

function kill(pid: number | undefined): void {
  assert.ok(pid !== undefined);
  process.kill(pid, "SIGKILL");
}

describe("the host, whose processes are killed", function () {
  this.timeout(scaledMs(240_000));
  const scope = useTestScope();

  /** Runs `rounds` in several worlds. `play` runs a world's share of them. */
  async function inWorlds(count: number, play: (world: World, count: number) => Promise<void>): Promise<void> {
    const worlds = Array.from({ length: worldCount }, async () => {
      const world = new World(scope().use(await createCommandFolder(JSON.stringify({ proxies: [] }))));
      scope().defer(async () => {
        await world.host("stop");
        assert.deepEqual(await survivingProcesses(world.folder.root), new Map());
      });
      await play(world, count / worldCount);
    });
    await Promise.all(worlds);
  }

  it(`shows the others the whole turn when the client is killed that sent it (${rounds.client} times)`, () =>
    inWorlds(rounds.client, async (world, count) => {
      const stays = world.window(scope(), true);
      await stays.client.initialize();
      for (let round = 0; round < count; round++) {
        await using stack = new AsyncDisposableStack();
        const first = world.window(stack, round % 2 === 0);
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
    }));

  it(`tells every client that the agent has ended when it is killed (${rounds.agent} times)`, () =>
    inWorlds(rounds.agent, async (world, count) => {
      for (let round = 0; round < count; round++) {
        await using stack = new AsyncDisposableStack();
        const [first, second] = [world.window(stack, false), world.window(stack, round % 2 === 0)];
        const id = await first.open();
        await second.load(id);
        let isOver = false;
        const turn = first.client
          .request("session/prompt", { sessionId: id, prompt: [{ type: "text", text: script.join("\n") }] })
          .finally(() => (isOver = true));
        const moment = Math.floor(Math.random() * (round % 2 === 0 ? 80 : 12));
        await reads(second, moment, () => isOver);
        kill(await world.find(agentProgram));
        await turn;
        // Neither has a gap or a repetition: both have the beginning of the whole text.
        for (const { peer } of [first, second])
          assert.ok(begun.test(peer.text), `round ${round}, killed at ${moment}: ${peer.text}`);
        await until(
          () => world.find(agentProgram),
          (pid) => pid === undefined,
          limitMs,
        );
      }
    }));

  it(`ends all processes when the host is killed, and the next host lists the session (${rounds.host} times)`, () =>
    inWorlds(rounds.host, async (world, count) => {
      for (let round = 0; round < count; round++) {
        await using stack = new AsyncDisposableStack();
        const first = world.window(stack, round % 2 === 0);
        const id = await first.open();
        void first.prompt(id, script.join("\n"));
        await reads(first, Math.floor(Math.random() * (round % 2 === 0 ? 80 : 12)), () => false);
        kill(await world.find(/host serve/));
        assert.deepEqual(await survivingProcesses(world.folder.root), new Map());
        const second = world.window(stack, true);
        await second.client.initialize();
        const { value } = await second.client.request("session/list", { cwd: world.folder.workspace });
        const listed = arrayOf(objectOf(value)["sessions"]).map((entry) => objectOf(entry)["sessionId"]);
        assert.ok(listed.includes(id), `round ${round}: ${listed.join(", ")}`);
      }
    }));
});
