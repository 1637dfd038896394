import assert from "node:assert/strict";
import { Json } from "../../../src/base/rpc/json.js";
import { readInformationParams } from "../../../src/models/vscode/read-params.js";
import type { InformationResult } from "../../../src/models/vscode/wire.js";
import { assistant, LmStage, user } from "./lm-stage.js";

describe("the models that agents make", () => {
  let stage: LmStage;
  beforeEach(() => {
    stage = new LmStage();
  });
  afterEach(() => stage[Symbol.asyncDispose]());

  function ask(members: object = {}): Promise<InformationResult> {
    const agents = [{ id: "stage", name: "Stage", agent: { command: "stage" } }];
    return stage.service.information(readInformationParams(Json.of({ agents, ...members })));
  }

  const model = {
    id: "stage",
    name: "Stage",
    family: "stage",
    version: "1.0",
    maxInputTokens: 183_616,
    maxOutputTokens: 16_384,
    capabilities: { toolCalling: true, imageInput: true },
    agentId: "stage",
  };

  it("are told without starting anything when the editor only looks", async () => {
    const capabilities = { toolCalling: true, imageInput: false };
    assert.deepEqual(await ask({ silent: true }), { models: [{ ...model, version: "1", capabilities }] });
    assert.equal(stage.agent.chains, 0);
  });

  it("are the agent itself, and each model that it lets its users choose, alone or in groups", async () => {
    stage.agent.sessionMembers = {
      configOptions: [
        { id: "mode", category: "mode", type: "select", options: [{ value: "plan", name: "Plan" }] },
        {
          id: "llm",
          category: "model",
          type: "select",
          options: [
            { value: "small", name: "Small", description: "Quick" },
            { group: "g", name: "More", options: [{ value: "large", name: "Large" }] },
          ],
        },
      ],
    };
    const models = [
      model,
      { ...model, id: "stage/small", name: "Stage: Small", tooltip: "Quick", configOptions: { llm: "small" } },
      { ...model, id: "stage/large", name: "Stage: Large", configOptions: { llm: "large" } },
    ];
    assert.deepEqual(await ask(), { models });
    assert.deepEqual(await ask({ silent: true }), { models });
    assert.deepEqual([stage.agent.chains, stage.agent.received], [1, ["session/close session-1"]]);
  });

  it("are learnt of agents without config options, too", async () => {
    stage.agent.sessionMembers = {
      models: { availableModels: [{ modelId: "m1", name: "One" }], currentModelId: "m1" },
    };
    assert.deepEqual((await ask()).models[1], {
      ...model,
      id: "stage/m1",
      name: "Stage: One",
      configOptions: { "session/set_model": "m1" },
    });
  });

  it("have the context that their agent has told of", async () => {
    await ask();
    const asked = stage.ask([user("Hello")]);
    const prompted = await stage.agent.prompt();
    prompted.update({ sessionUpdate: "usage_update", used: 1, size: 40_000 });
    prompted.end();
    await asked.ended;
    const { maxInputTokens, maxOutputTokens } = (await ask()).models[0] ?? {};
    assert.deepEqual([maxInputTokens, maxOutputTokens], [30_000, 10_000]);
  });

  it("have the context of their own, also of an agent that has a process for each chat", async () => {
    stage.agent.name = "OpenCode";
    stage.agent.sessionMembers = { models: { availableModels: [{ modelId: "small" }, { modelId: "large" }] } };
    await ask();
    for (const [modelId, size] of Object.entries({ small: 40_000, large: 1_000_000 })) {
      const asked = stage.ask([user(`Hello, ${modelId}`)], { configOptions: { "session/set_model": modelId } });
      const prompted = await stage.agent.prompt();
      prompted.update({ sessionUpdate: "usage_update", used: 1, size });
      prompted.end();
      await asked.ended;
    }
    const { models } = await ask({ silent: true });
    assert.deepEqual(
      models.map(({ id, maxInputTokens }) => [id, maxInputTokens]),
      [
        ["stage", 183_616],
        ["stage/small", 30_000],
        ["stage/large", 983_616],
      ],
    );
  });

  it("keep their context when another model answers in the same chat, and says nothing of its own", async () => {
    stage.agent.sessionMembers = { models: { availableModels: [{ modelId: "small" }, { modelId: "large" }] } };
    const small = stage.ask([user("Hello")], { configOptions: { "session/set_model": "small" } });
    const prompted = await stage.agent.prompt();
    prompted.update({ sessionUpdate: "usage_update", used: 1, size: 40_000 });
    prompted.say("Hi.");
    prompted.end();
    await small.ended;
    const configOptions = { "session/set_model": "large" };
    await stage.answered("Well.", [user("Hello"), assistant("Hi."), user("Go on")], { configOptions });
    const { models } = await ask({ silent: true });
    assert.deepEqual(
      models.map(({ maxInputTokens }) => maxInputTokens),
      [183_616, 30_000, 183_616],
    );
  });

  it("are asked for once, however many want to know at the same time", async () => {
    const [one, other] = await Promise.all([ask(), ask(), ask({ folder: "/elsewhere" })]);
    assert.deepEqual(one, other);
    assert.deepEqual([stage.agent.chains, stage.agent.setups.length], [1, 1]);
  });

  it("are learnt by the way when a chat begins, so that nothing has to be started to tell them", async () => {
    stage.agent.sessionMembers = { models: { availableModels: [{ modelId: "m1" }] } };
    await stage.answered("Hi.", [user("Hello")]);
    const { models } = await ask({ silent: true });
    assert.deepEqual([models.map(({ id }) => id), stage.agent.chains], [["stage", "stage/m1"], 1]);
  });

  it("are told although another agent fails, with the reason", async () => {
    stage.agent.failingStarts = 1;
    const { models, problems } = await ask();
    assert.deepEqual([models.length, problems], [1, [{ agentId: "stage", message: "It does not start." }]]);
  });
});
