import assert from "node:assert/strict";
import fc from "fast-check";
import { Request } from "../../../src/base/rpc/message.js";
import { ask } from "../../../src/base/rpc/peer.js";
import { HostStage, selected, type StageClient } from "./host-stage.js";

/** A prompt whose turn the client has named. */
function promptOf(text: string, turn: string): Readonly<Record<string, unknown>> {
  return { sessionId: "s1", prompt: [{ type: "text", text }], _meta: { symposium: { turn } } };
}

describe("a live session of the host", () => {
  it("replays what was sent to a client that loads it, and goes on with what follows", async () => {
    const stage = new HostStage();
    const first = await stage.open();
    void first.prompt("hello");
    stage.conductor.say("one");
    const second = await stage.attach();
    stage.conductor.say("two");
    assert.deepEqual(first.texts, ["one", "two"]);
    assert.deepEqual(second.texts, ["> hello", "one", "two"]);
  });

  it("replays nothing to a client that resumes it, and gives it the commands", async () => {
    const stage = new HostStage();
    await stage.open();
    const commands = { sessionUpdate: "available_commands_update", availableCommands: [{ name: "help" }] };
    stage.conductor.update(commands);
    stage.conductor.say("one");
    const second = await stage.connect();
    await second.ask("session/resume", { sessionId: "s1", cwd: "/w", mcpServers: [] });
    stage.conductor.say("two");
    assert.deepEqual(second.peer.updates, [
      commands,
      { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "two" } },
    ]);
  });

  it("replays what came after the prompt of a turn that the client knows, and tells it the turn's state", async () => {
    const stage = new HostStage();
    const first = await stage.open();
    void first.ask("session/prompt", promptOf("one", "turn-1"));
    stage.conductor.say("answer to one");
    stage.conductor.endTurn("max_tokens");
    void first.ask("session/prompt", promptOf("two", "turn-2"));
    stage.conductor.say("answer to two");
    first.hostClient.leave();
    const resume = async (after: string): Promise<readonly unknown[]> => {
      const client = await stage.connect();
      const params = { sessionId: "s1", cwd: "/w", mcpServers: [], _meta: { symposium: { after } } };
      const { json } = await client.ask("session/resume", params);
      return [client.texts, client.turns, json.object?.["_meta"]];
    };
    const working = { state: "working" };
    assert.deepEqual(await resume("turn-2"), [
      ["answer to two"],
      [working],
      { symposium: { ...working, after: "turn-2" } },
    ]);
    assert.deepEqual(await resume("turn-0"), [[], [working], { symposium: working }], "the host has no such turn");
    stage.conductor.endTurn("max_tokens");
    const idle = { state: "idle" };
    assert.deepEqual(await resume("turn-1"), [
      ["answer to one", "> two", "answer to two"],
      [working, { ...idle, stopReason: "max_tokens" }],
      { symposium: { ...idle, after: "turn-1" } },
    ]);
  });

  it("ends in the middle of a turn if its client wants that", async () => {
    const stage = new HostStage();
    const first = await stage.open();
    void first.prompt("one");
    await first.ask("session/close", { sessionId: "s1", _meta: { symposium: { ends: true } } });
    assert.deepEqual([...stage.host.sessions()], []);
  });

  it("answers load after the replay, with the modes as they are now", async () => {
    const stage = new HostStage();
    await stage.open();
    stage.conductor.say("one");
    stage.conductor.update({ sessionUpdate: "current_mode_update", currentModeId: "code" });
    const second = await stage.connect();
    let seen = 0;
    const { json } = await second.load().finally(() => (seen = second.peer.updates.length));
    assert.equal(seen, 2);
    assert.deepEqual(json.value, {
      modes: { currentModeId: "code", availableModes: [] },
      _meta: { symposium: { state: "idle" } },
    });
  });

  it("shows a prompt to the other clients and tells them how its turn ends", async () => {
    const stage = new HostStage();
    const first = await stage.open();
    const second = await stage.attach();
    const answer = second.prompt("work");
    stage.conductor.endTurn();
    assert.deepEqual((await answer).json.value, { stopReason: "end_turn" });
    assert.deepEqual([first.texts, second.texts], [["> work"], []]);
    assert.deepEqual(first.turns, [{ state: "working" }, { state: "idle", stopReason: "end_turn" }]);
    assert.deepEqual(second.turns, []);
  });

  it("does not show a prompt again that the agent repeats", async () => {
    const stage = new HostStage();
    const first = await stage.open();
    const second = await stage.attach();
    void second.prompt("work");
    stage.conductor.update({ sessionUpdate: "user_message_chunk", content: { type: "text", text: "work" } });
    stage.conductor.say("done");
    const third = await stage.attach();
    const shown = ["> work", "done"];
    assert.deepEqual([first.texts, second.texts, third.texts], [shown, shown, shown]);
  });

  it("runs a second prompt when the first one has ended", async () => {
    const stage = new HostStage();
    const first = await stage.open();
    const second = await stage.attach();
    void first.prompt("one");
    void second.prompt("two");
    assert.equal(stage.conductor.prompts.length, 1);
    stage.conductor.say("answer to one");
    stage.conductor.endTurn();
    assert.equal(stage.conductor.prompts.length, 1);
    assert.deepEqual(first.texts, ["answer to one", "> two"]);
    assert.deepEqual(second.texts, ["> one", "answer to one"]);
  });

  it("cancels the turn and the prompts that wait, whoever asks for it", async () => {
    const stage = new HostStage();
    const first = await stage.open();
    const second = await stage.attach();
    const turns = [first.prompt("one"), second.prompt("two")];
    second.notify("session/cancel", { sessionId: "s1" });
    stage.conductor.endTurn("cancelled");
    const outcomes = (await Promise.all(turns)).map(({ json }) => json.value);
    assert.deepEqual(outcomes, [{ stopReason: "cancelled" }, { stopReason: "cancelled" }]);
    assert.equal(stage.conductor.peer.methods.filter((method) => method === "session/prompt").length, 1);
  });

  it("takes a prompt out of the queue that its client gives up", async () => {
    const stage = new HostStage();
    const first = await stage.open();
    void first.prompt("one");
    const stop = new AbortController();
    const request = Request.of("session/prompt", { sessionId: "s1", prompt: [{ type: "text", text: "two" }] });
    const second = ask(first.hostClient.fromClient, request, stop.signal);
    stop.abort();
    assert.equal((await second).json.object?.["code"], -32800);
    stage.conductor.endTurn();
    assert.equal(stage.conductor.prompts.length, 0);
  });

  it("goes on with a prompt whose connection gives up all requests when it closes", async () => {
    const stage = new HostStage();
    const first = await stage.open();
    const stop = new AbortController();
    const request = Request.of("session/prompt", { sessionId: "s1", prompt: [{ type: "text", text: "work" }] });
    void ask(first.hostClient.fromClient, request, stop.signal);
    first.hostClient.leave();
    stop.abort();
    assert.deepEqual(
      stage.conductor.peer.received.filter(({ kind }) => kind === "cancel"),
      [],
    );
  });

  it("changes the mode for all clients", async () => {
    const stage = new HostStage();
    const first = await stage.open();
    const second = await stage.attach();
    await first.ask("session/set_mode", { sessionId: "s1", modeId: "code" });
    const update = { sessionUpdate: "current_mode_update", currentModeId: "code" };
    assert.deepEqual([first.peer.updates, second.peer.updates], [[], [update]]);
    const third = await stage.connect();
    const { json } = await third.load();
    assert.deepEqual(json.object?.["modes"], { currentModeId: "code", availableModes: [] });
  });

  it("goes on when its client is gone, and is there for the next one", async () => {
    const stage = new HostStage();
    const first = await stage.open();
    void first.prompt("work");
    stage.conductor.say("one");
    first.hostClient.leave();
    stage.conductor.say("two");
    const { heard } = stage.conductor.askPermission();
    const second = await stage.attach();
    assert.deepEqual(second.texts, ["> work", "one", "two"]);
    second.question?.reply(selected("yes"));
    assert.deepEqual(heard, [{ outcome: { outcome: "selected", optionId: "yes" } }]);
  });

  it("detaches a client that closes it, and closes it with the last one", async () => {
    const stage = new HostStage();
    const first = await stage.open();
    const second = await stage.attach();
    await first.ask("session/close", { sessionId: "s1" });
    stage.conductor.say("one");
    assert.deepEqual([first.texts, second.texts], [[], ["one"]]);
    assert.equal(stage.conductor.peer.methods.includes("session/close"), false);
    await second.ask("session/close", { sessionId: "s1" });
    assert.equal(stage.conductor.peer.methods.includes("session/close"), true);
  });

  it("stays open when its last client closes it during a turn", async () => {
    const stage = new HostStage();
    const first = await stage.open();
    void first.prompt("work");
    await first.ask("session/close", { sessionId: "s1" });
    stage.conductor.say("one");
    const second = await stage.attach();
    assert.deepEqual(second.texts, ["> work", "one"]);
    assert.deepEqual(second.turns, [{ state: "working" }]);
  });

  it("tells the end of a turn to the client that began it, if that has attached again meanwhile", async () => {
    const stage = new HostStage();
    const client = await stage.open();
    void client.ask("session/prompt", promptOf("work", "turn-1"));
    await client.ask("session/close", { sessionId: "s1" });
    const params = { sessionId: "s1", cwd: "/w", mcpServers: [], _meta: { symposium: { after: "turn-1" } } };
    await client.ask("session/resume", params);
    stage.conductor.endTurn();
    assert.deepEqual(client.turns, [{ state: "working" }, { state: "idle", stopReason: "end_turn" }]);
  });

  it("keeps the replay of a session that is resumed for clients that load it later", async () => {
    const stage = new HostStage({
      conductor: {
        "session/load": () => {
          stage.conductor.say("of yesterday", "old");
          return {};
        },
      },
    });
    const first = await stage.connect();
    await first.ask("session/resume", { sessionId: "old", cwd: "/w", mcpServers: [] });
    const second = await stage.connect();
    await second.load("old");
    assert.deepEqual([first.texts, second.texts], [[], ["of yesterday"]]);
  });

  it("delivers what an agent says of a session before it has opened it", async () => {
    const stage = new HostStage({
      conductor: {
        "session/new": () => {
          stage.conductor.say("early");
          return { sessionId: "s1" };
        },
      },
    });
    const first = await stage.open();
    const second = await stage.attach();
    assert.deepEqual([first.texts, second.texts], [["early"], ["early"]]);
  });

  it("shows every client the same, for any moment of attaching and any pace of reading", async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 60 }), checkSteps), { numRuns: 200 });
  });
});

type Step =
  | { readonly kind: "say" | "attach" | "end" }
  | { readonly kind: "prompt" | "leave"; readonly client: number }
  | { readonly kind: "congest"; readonly client: number; readonly isCongested: boolean };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ kind: "say" } as const) },
  { weight: 2, arbitrary: fc.constant({ kind: "attach" } as const) },
  { weight: 2, arbitrary: fc.constant({ kind: "end" } as const) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("prompt" as const), client: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("leave" as const), client: fc.nat(5) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("congest" as const), client: fc.nat(5), isCongested: fc.boolean() }),
  },
);

/** Does the steps, and holds what each client was sent against all that was said. */
async function checkSteps(steps: readonly Step[]): Promise<void> {
  const stage = new HostStage();
  const clients: StageClient[] = [await stage.open()];
  const left = new Set<StageClient>();
  const own = new Map<StageClient, Set<string>>();
  let count = 0;
  for (const one of steps) {
    const client = "client" in one ? clients[one.client % clients.length] : undefined;
    switch (one.kind) {
      case "say":
        stage.conductor.say(`said ${++count}`);
        break;
      case "end":
        stage.conductor.endTurn();
        break;
      case "attach": {
        const attached = await stage.connect();
        attached.isCongested = count % 2 === 0;
        void attached.load();
        clients.push(attached);
        break;
      }
      case "prompt": {
        const text = `asked ${++count}`;
        if (!client || left.has(client)) break;
        own.set(client, new Set([...(own.get(client) ?? []), `> ${text}`]));
        void client.prompt(text);
        break;
      }
      case "leave":
        // With nobody left, and nothing said, the session is closed.
        if (!client || client === clients[0]) break;
        left.add(client);
        client.hostClient.leave();
        break;
      case "congest":
        if (client) client.isCongested = one.isCongested;
    }
  }
  for (const client of clients) client.isCongested = false;
  const witness = await stage.attach();
  for (const client of clients) {
    const expected = witness.texts.filter((text) => own.get(client)?.has(text) !== true);
    assert.deepEqual(client.texts, left.has(client) ? expected.slice(0, client.texts.length) : expected);
  }
}
