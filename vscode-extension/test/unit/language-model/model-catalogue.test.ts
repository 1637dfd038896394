import assert from "node:assert/strict";
import type { ModelInformation } from "@symposium-dev/core";
import { ModelCatalogue, type OfferedSettings } from "../../../src/features/language-model/model-catalogue.js";
import { MemoryStorage } from "../permissions/permission-fixture.js";

const nothing: OfferedSettings = { agents: [], currentId: undefined, chosen: [] };
const mine = { id: "mine", name: "Mine" };

function catalogue(settings: Partial<OfferedSettings> = {}, memory = new MemoryStorage()) {
  let changes = 0;
  const made = new ModelCatalogue(
    () => ({ ...nothing, ...settings }),
    memory,
    () => changes++,
  );
  return { made, changes: () => changes, memory };
}

function modelOf(agentId: string, value: string): ModelInformation {
  return {
    id: `${agentId}/${value}`,
    name: value,
    family: agentId,
    version: "1",
    maxInputTokens: 1_000,
    maxOutputTokens: 100,
    capabilities: { toolCalling: true, imageInput: true },
    agentId,
    configOptions: { model: value },
  };
}

describe("the models that are offered", () => {
  it("are those of the user's own agents and of the current one", () => {
    const { made } = catalogue({ agents: [mine], currentId: "gemini" });
    assert.deepEqual(
      made.models.map(({ id, name, agentId }) => [id, name, agentId]),
      [
        ["mine", "Mine", "mine"],
        ["gemini", "gemini", "gemini"],
      ],
    );
  });

  it("are those that the user has chosen, where they have", () => {
    const { made } = catalogue({ agents: [mine], currentId: "gemini", chosen: ["codex", "mine", "codex"] });
    assert.deepEqual(
      made.models.map(({ id }) => id),
      ["codex", "mine"],
    );
  });

  it("are Eliza's where nothing is set up", () => {
    assert.deepEqual(
      catalogue().made.models.map(({ id, name }) => [id, name]),
      [["eliza", "Eliza"]],
    );
  });

  it("have room enough that no chat summarises before it has begun, and take tools", () => {
    const [model] = catalogue().made.models;
    assert.ok((model?.maxInputTokens ?? 0) >= 100_000);
    assert.equal(model?.capabilities.toolCalling, true);
  });

  it("are those that an agent has told, also in later windows", async () => {
    const { made, memory, changes } = catalogue({ agents: [mine] });
    const told = [modelOf("mine", "fast"), modelOf("mine", "slow")];
    await made.learn(told);
    assert.equal(changes(), 1);
    assert.deepEqual(made.models, told);
    await made.learn(told);
    assert.equal(changes(), 1);
    assert.deepEqual(catalogue({ agents: [mine] }, memory).made.models, told);
  });

  it("stay when somebody else tells of an agent and knows none of them", async () => {
    const { made } = catalogue({ agents: [mine] });
    const { configOptions: _options, ...plain } = modelOf("mine", "plain");
    await made.learn([modelOf("mine", "fast")]);
    await made.learn([plain], true);
    assert.deepEqual(
      made.models.map(({ id }) => id),
      ["mine/fast"],
    );
    await made.learn([plain]);
    assert.deepEqual(
      made.models.map(({ id }) => id),
      ["mine/plain"],
    );
  });

  it("stay when an agent could not be asked again", async () => {
    const { made } = catalogue({ agents: [mine, { id: "other", name: "Other" }] });
    await made.learn([modelOf("mine", "fast")]);
    await made.learn([modelOf("other", "big")]);
    assert.deepEqual(
      made.models.map(({ id }) => id),
      ["mine/fast", "other/big"],
    );
  });

  it("are found by their ids, also when an agent has renamed what a chat still uses", async () => {
    const { made } = catalogue({ agents: [mine] });
    await made.learn([modelOf("mine", "fast")]);
    assert.deepEqual(
      ["mine/fast", "mine/old", "mine", "other"].map((id) => made.find(id)?.agentId),
      ["mine", "mine", "mine", undefined],
    );
    assert.equal(made.find("mine/old")?.configOptions, undefined);
  });

  it("are found for the current agent, though others are offered", () => {
    const { made } = catalogue({ agents: [mine], currentId: "mine", chosen: ["gemini"] });
    assert.deepEqual(
      [made.find("mine")?.name, made.find("gemini")?.name, made.find("codex")],
      ["Mine", "gemini", undefined],
    );
  });

  it("are remembered from every window", async () => {
    const memory = new MemoryStorage();
    const agents = [mine, { id: "other", name: "Other" }];
    const [one, two] = [catalogue({ agents }, memory).made, catalogue({ agents }, memory).made];
    await one.learn([modelOf("mine", "fast")]);
    await two.learn([modelOf("other", "big")]);
    assert.deepEqual(
      catalogue({ agents }, memory).made.models.map(({ id }) => id),
      ["mine/fast", "other/big"],
    );
  });

  it("are named as the command lists them", async () => {
    const { made } = catalogue({ chosen: ["gemini"] });
    await made.learnNames([
      { id: "gemini", name: "Gemini CLI" },
      { id: "codex", name: "Codex" },
    ]);
    assert.deepEqual(made.agents, [{ id: "gemini", name: "Gemini CLI" }]);
  });

  it("remember which agents the user has started", async () => {
    const { made, memory } = catalogue({ agents: [mine] });
    assert.equal(made.isUsed("mine"), false);
    await made.noteUse("mine", "Mine");
    assert.equal(catalogue({ agents: [mine] }, memory).made.isUsed("mine"), true);
  });

  it("survive a memory that another version wrote", async () => {
    const memory = new MemoryStorage();
    for (const junk of [7, [1], { mine: null }, { mine: { models: [{ id: 1 }], name: 2, isUsed: "yes" } }]) {
      await memory.update("symposium.languageModels", junk);
      const { made } = catalogue({ agents: [mine] }, memory);
      assert.deepEqual([made.models.map(({ id }) => id), made.isUsed("mine")], [["mine"], false]);
    }
  });
});
