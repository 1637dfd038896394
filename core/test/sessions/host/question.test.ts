import assert from "node:assert/strict";
import fc from "fast-check";
import { Outcome, Request } from "../../../src/base/rpc/message.js";
import { RpcError } from "../../../src/base/rpc/rpc-error.js";
import { HostStage, selected, type StageClient } from "./host-stage.js";

const yes = { outcome: { outcome: "selected", optionId: "yes" } };
const cancelled = { outcome: { outcome: "cancelled" } };
const forms = { capabilities: { elicitation: { form: {} } } };

function cancels({ peer }: StageClient): number {
  return peer.received.filter(({ kind }) => kind === "cancel").length;
}

describe("a question of an agent in the host", () => {
  it("goes to every client, and the first answer is the agent's and is told to the others", async () => {
    const stage = new HostStage();
    const [first, second] = [await stage.open(), await stage.attach()];
    const { heard } = stage.conductor.askPermission();
    second.question?.reply(selected("yes"));
    first.question?.reply(selected("no"));
    assert.deepEqual(heard, [yes]);
    assert.deepEqual([cancels(first), cancels(second)], [1, 0]);
  });

  it("waits while nobody is attached, and is asked of the next client", async () => {
    const stage = new HostStage();
    const first = await stage.open();
    void first.prompt("work");
    first.hostClient.leave();
    const { heard } = stage.conductor.askPermission();
    const [session] = stage.host.sessions();
    assert.equal(session?.state, "waiting");
    const second = await stage.attach();
    second.question?.reply(selected("yes"));
    assert.deepEqual([heard, session.state], [[yes], "working"]);
  });

  it("is not asked of a client before that has the replay", async () => {
    const stage = new HostStage();
    await stage.open();
    stage.conductor.say("one");
    stage.conductor.askPermission();
    const second = await stage.connect();
    second.isCongested = true;
    void second.load();
    assert.equal(second.peer.open.length, 0);
    second.isCongested = false;
    assert.equal(second.peer.open.length, 1);
    assert.deepEqual(second.texts, ["one"]);
  });

  it("hears a dismissal only when every client has dismissed it", async () => {
    const stage = new HostStage();
    const [first, second] = [await stage.open(), await stage.attach()];
    const one = stage.conductor.askPermission();
    first.question?.reply(Outcome.of(cancelled));
    assert.deepEqual(one.heard, []);
    second.question?.reply(selected("yes"));
    assert.deepEqual(one.heard, [yes]);
    const two = stage.conductor.askPermission();
    second.question?.reply(Outcome.error(RpcError.internal("the window closes")));
    first.question?.reply(Outcome.of(cancelled));
    assert.deepEqual(two.heard, [cancelled]);
  });

  it("takes an option that was not offered for no decision", async () => {
    const stage = new HostStage();
    const [first, second] = [await stage.open(), await stage.attach()];
    const { heard } = stage.conductor.askPermission();
    first.question?.reply(selected("always"));
    second.question?.reply(selected("no"));
    assert.deepEqual(heard, [{ outcome: { outcome: "selected", optionId: "no" } }]);
  });

  it("outlives the client that was asked", async () => {
    const stage = new HostStage();
    const first = await stage.open();
    void first.prompt("work");
    const { heard } = stage.conductor.askPermission();
    const late = first.question;
    first.hostClient.leave();
    late?.reply(Outcome.error(RpcError.internal("the connection is closed")));
    assert.deepEqual(heard, []);
    const second = await stage.attach();
    second.question?.reply(selected("yes"));
    assert.deepEqual(heard, [yes]);
  });

  it("is answered as cancelled by session/cancel, and a late approval does not reach the agent", async () => {
    const stage = new HostStage();
    const [first, second] = [await stage.open(), await stage.attach()];
    void first.prompt("work");
    const { heard } = stage.conductor.askPermission();
    const late = [first.question, second.question];
    first.notify("session/cancel", { sessionId: "s1" });
    for (const question of late) question?.reply(selected("yes"));
    assert.deepEqual(heard, [cancelled]);
    assert.deepEqual([cancels(first), cancels(second)], [0, 1]);
    assert.equal(stage.conductor.peer.methods.at(-1), "session/cancel");
  });

  it("is cancelled at once in a turn that was cancelled, and asked again in the next one", async () => {
    const stage = new HostStage();
    const first = await stage.open();
    void first.prompt("work");
    first.notify("session/cancel", { sessionId: "s1" });
    const one = stage.conductor.askPermission();
    assert.deepEqual([one.heard, first.question], [[cancelled], undefined]);
    stage.conductor.endTurn("cancelled");
    void first.prompt("again");
    stage.conductor.askPermission();
    assert.equal(first.question !== undefined, true);
  });

  it("is taken back from every client when the agent gives it up", async () => {
    const stage = new HostStage();
    const [first, second] = [await stage.open(), await stage.attach()];
    const { heard, abandon } = stage.conductor.askPermission();
    abandon();
    assert.deepEqual(heard, ["Request cancelled"]);
    assert.deepEqual([cancels(first), cancels(second)], [1, 1]);
  });

  it("is a form only for clients that have forms", async () => {
    const stage = new HostStage();
    const first = await stage.open();
    const second = await stage.attach({}, forms);
    const heard: unknown[] = [];
    const form = Request.of("elicitation/create", { sessionId: "s1", mode: "form", message: "Name?" });
    stage.conductor.client.request(form, ({ json }) => heard.push(json.value));
    assert.deepEqual([first.peer.open.length, second.peer.open.length], [0, 1]);
    second.peer.open[0]?.reply(Outcome.of({ action: "decline" }));
    assert.deepEqual(heard, [{ action: "decline" }]);
  });

  it("has one answer, whatever clients, agent and user do", async () => {
    const moves = fc.array(
      fc.tuple(fc.constantFrom("yes", "no", "dismiss", "fail", "leave", "cancel", "stop"), fc.nat(2)),
    );
    await fc.assert(fc.asyncProperty(moves, checkMoves), { numRuns: 1_000 });
  });
});

/** Does the moves, and checks that the agent hears at most one answer, and no approval after a stop. */
async function checkMoves(moves: readonly (readonly [string, number])[]): Promise<void> {
  const stage = new HostStage();
  const clients = [await stage.open(), await stage.attach(), await stage.attach()];
  void clients[0]?.prompt("work");
  const { heard, abandon } = stage.conductor.askPermission();
  const questions = clients.map(({ question }) => question);
  const left = new Set<unknown>();
  let isStopped = false;
  for (const [move, place] of moves) {
    const before = heard.length;
    const [client, question] = [clients[place], questions[place]];
    if (move === "yes" || move === "no") question?.reply(selected(move));
    else if (move === "dismiss") question?.reply(Outcome.of(cancelled));
    else if (move === "fail") question?.reply(Outcome.error(RpcError.internal("no")));
    else if (move === "leave") {
      left.add(client);
      client?.hostClient.leave();
    } else if (move === "cancel") abandon();
    else {
      client?.notify("session/cancel", { sessionId: "s1" });
      isStopped ||= !left.has(client);
      continue;
    }
    assert.equal(heard.length - before === 0 || (before === 0 && heard.length === 1), true);
    if (isStopped && before === 0 && heard.length === 1) assert.notDeepEqual(heard, [yes]);
  }
  assert.equal(heard.length <= 1, true);
}
