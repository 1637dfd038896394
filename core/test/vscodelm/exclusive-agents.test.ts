import assert from "node:assert/strict";
import { setImmediate as settled } from "node:timers/promises";
import { assistant, LmStage, read, user } from "./lm-stage.js";

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

  it("runs no more often than a few times for chats that rest", async () => {
    for (let index = 1; index <= 8; index++) {
      stage.now = index;
      await stage.answered("Yes.", [user(`Number ${index}`)], { tools });
      await settled();
    }
    assert.deepEqual([stage.agent.chains, stage.agent.disposed], [8, 3]);
  });
});
