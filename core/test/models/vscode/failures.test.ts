import assert from "node:assert/strict";
import { mock } from "node:test";
import { setImmediate as settled } from "node:timers/promises";
import { action, assistant, LmStage, read, result, user } from "./lm-stage.js";

describe("failures of agents behind a language model", () => {
  let stage: LmStage;
  beforeEach(() => {
    stage = new LmStage();
  });
  afterEach(() => {
    mock.timers.reset();
    return stage[Symbol.asyncDispose]();
  });

  const tools = [read, action];

  it("are told by every request while the agent does not start, and end when it does", async () => {
    stage.agent.failingStarts = 2;
    await assert.rejects(stage.ask([user("Hello")]).ended, /It does not start/);
    await assert.rejects(stage.ask([user("Hello")]).ended, /It does not start/);
    await stage.answered("Hi.", [user("Hello")]);
    assert.equal(stage.agent.chains, 3);
  });

  it("say that the user has to sign in, and start the agent again for who has", async () => {
    stage.agent.isSignedOut = true;
    await assert.rejects(stage.ask([user("Hello")]).ended, /^ModelFailure: The agent requires sign-in \(No key\)/);
    stage.agent.isSignedOut = false;
    await stage.answered("Hi.", [user("Hello")]);
    assert.deepEqual([stage.agent.chains, stage.agent.disposed], [2, 1]);
  });

  it("say that the agent opens no session, start it again, and want none that comes too late", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    stage.agent.hangs = true;
    const { ended } = stage.ask([user("Hello")]);
    const failed = assert.rejects(
      ended,
      /^ModelFailure: The agent has not opened a session within 120 seconds\. Start/,
    );
    await settled();
    mock.timers.tick(119_999);
    await settled();
    const { disposed } = stage.agent;
    mock.timers.tick(1);
    await failed;
    await settled();
    stage.agent.hangs = false;
    stage.agent.openLate();
    await stage.answered("Hi.", [user("Hello")]);
    const { chains, received } = stage.agent;
    assert.deepEqual([disposed, stage.agent.disposed, chains, received], [0, 1, 2, ["session/close session-1"]]);
  });

  it("end an answer with what the agent says, and its session", async () => {
    const asked = stage.ask([user("Hello")], { tools });
    (await stage.agent.prompt()).fail("out of order");
    await assert.rejects(asked.ended, /^ModelFailure: The agent failed: out of order$/);
    const next = await stage.answered("Hi.", [user("Hello"), user("Again")], { tools });
    assert.deepEqual(
      [next.sessionId, next.text, stage.agent.received],
      ["session-2", "The conversation so far:\n\nUser: Hello|Again", ["session/close session-1"]],
    );
  });

  it("are no reason not to ask the same again", async () => {
    const asked = stage.ask([user("Hello")], { tools });
    (await stage.agent.prompt()).fail("out of order");
    await assert.rejects(asked.ended);
    assert.equal((await stage.answered("Hi.", [user("Hello")], { tools })).text, "Hello");
  });

  it("start the agent anew after a crash, and tell the new one what was said", async () => {
    await stage.answered("Hi.", [user("Hello")], { tools });
    const history = [user("Hello"), assistant("Hi."), user("Go on")];
    const asked = stage.ask(history, { tools });
    await stage.agent.prompt();
    stage.agent.crash('"stage" exited with code 7.');
    await assert.rejects(asked.ended, /exited with code 7/);
    const { text } = await stage.answered("Well.", history, { tools });
    assert.deepEqual(
      [stage.agent.chains, text],
      [2, "The conversation so far:\n\nUser: Hello\n\nAssistant: Hi.|Go on"],
    );
  });

  it("do not lose the results of tools that ran while the agent crashed", async () => {
    const asked = stage.ask([user("Look")], { tools });
    void (await stage.agent.prompt()).call("read_file");
    await asked.ended;
    stage.agent.crash("It is gone.");
    const history = [user("Look"), assistant(...asked.calls), user(result(asked.calls[0], "42"))];
    const { text } = await stage.answered("It says 42.", history, { tools });
    assert.match(text, /Result of the tool: 42\|Go on from there\.$/);
  });

  it("are none of a request that is stopped before its agent is there: it is sent nothing, and the next one is answered", async () => {
    const chat = { tools, conversationId: "chat" };
    const asked = stage.ask([user("Hello")], chat);
    asked.cancel();
    assert.deepEqual(await asked.ended, { stopReason: "cancelled" });
    const { text } = await stage.answered("Hi.", [user("Hello"), user("Are you there?")], chat);
    assert.deepEqual([stage.agent.chains, text.endsWith("|Are you there?")], [1, true]);
  });

  it("leave nobody waiting who presses Stop while the agent never ends its turn", async () => {
    const chat = { tools, conversationId: "chat" };
    const asked = stage.ask([user("Hello")], chat);
    const prompted = await stage.agent.prompt();
    asked.cancel();
    assert.deepEqual(await asked.ended, { stopReason: "cancelled" });
    assert.deepEqual(stage.agent.received, ["session/cancel session-1"]);
    prompted.say("Still here.");
    assert.equal(asked.text, "");
  });

  it("say why an answer has no words, and why one is cut off", async () => {
    for (const [said, stopReason, text] of [
      ["", "refusal", "The agent ended its turn without an answer: refusal."],
      ["Half", "max_tokens", "Half\n\n[The agent stopped here: max_tokens.]"],
      ["Whole", "end_turn", "Whole"],
    ] as const) {
      const asked = stage.ask([user(`Hello ${stopReason}`)], { tools });
      const prompted = await stage.agent.prompt();
      prompted.say(said);
      prompted.end({ stopReason });
      assert.deepEqual([await asked.ended, asked.text], [{ stopReason }, text]);
    }
  });

  it("tell tokens and the fill of the context as the agent tells them", async () => {
    const asked = stage.ask([user("Hello")], { tools });
    const prompted = await stage.agent.prompt();
    prompted.update({ sessionUpdate: "usage_update", used: 700, size: 1_000 });
    prompted.say("Hi.");
    prompted.end({ stopReason: "end_turn", usage: { inputTokens: 20, outputTokens: 10 } });
    await asked.ended;
    assert.deepEqual(asked.parts.at(-1), {
      type: "usage",
      inputTokens: 20,
      outputTokens: 10,
      contextUsed: 700,
      contextSize: 1_000,
    });
  });

  it("name the option by which a model could not be chosen", async () => {
    await using other = new LmStage();
    other.agent.sessionMembers = {};
    const asked = other.ask([user("Hello")], { configOptions: { "session/set_model": "large" } });
    const prompted = await other.agent.prompt();
    prompted.end();
    await asked.ended;
    assert.deepEqual(other.agent.received, ["session/set_model session-1"]);
  });

  it("end the chains with the service", async () => {
    await stage.answered("Hi.", [user("Hello")]);
    await stage.service[Symbol.asyncDispose]();
    assert.equal(stage.agent.disposed, 1);
    await assert.rejects(stage.ask([user("Hello")]).ended, /exiting/);
  });
});
