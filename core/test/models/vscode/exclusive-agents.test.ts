import assert from "node:assert/strict";
import { setImmediate as settled } from "node:timers/promises";
import { assistant, LmStage, read, result, user } from "./lm-stage.js";

/** An agent whose sessions have one set of MCP servers. */
describe("an agent whose sessions would get each other's calls", () => {
  let stage: LmStage;
  beforeEach(() => {
    stage = new LmStage();
    stage.agent.name = "OpenCode";
  });
  afterEach(() => stage[Symbol.asyncDispose]());

  const tools = [read];

  it("is started for each chat, which goes on in its own process", async () => {
    await stage.answered("One.", [user("One")], { tools });
    await stage.answered("Two.", [user("Two")], { tools });
    await stage.answered("Yes.", [user("One"), assistant("One."), user("Go on")], { tools });
    assert.deepEqual([stage.agent.chains, stage.agent.disposed], [2, 0]);
  });

  it("is ended with its chat, since it would offer that one's tools to the next", async () => {
    await stage.answered("A title", [user("Find a title")]);
    await settled();
    await stage.answered("One.", [user("One")], { tools });
    assert.deepEqual([stage.agent.chains, stage.agent.disposed], [2, 1]);
  });

  it("is not ended while it waits for a result, though its chat has another session at work", async () => {
    const chat = { tools, conversationId: "chat" };
    const first = stage.ask([user("One")], chat);
    const busy = await stage.agent.prompt();
    const second = stage.ask([user("Two")], chat);
    const waiting = await stage.agent.prompt();
    const called = waiting.call("read_file");
    await second.ended;
    const third = stage.ask([user("Two"), assistant(...second.calls), user(result(second.calls[0], "42"))], chat);
    assert.equal(await called, "42");
    for (const prompted of [busy, waiting]) prompted.end();
    await Promise.all([first.ended, third.ended]);
  });

  it("runs no more often than a few times for chats that rest", async () => {
    for (let index = 1; index <= 8; index++) {
      stage.now = index;
      await stage.answered("Yes.", [user(`Number ${index}`)], { tools });
      await settled();
    }
    assert.deepEqual([stage.agent.chains, stage.agent.disposed], [8, 4]);
  });
});
