import assert from "node:assert/strict";
import { sampleConfigOptions, sampleModes } from "@symposium-dev/core/testing";
import { SessionOptions } from "../../../src/acp/session-options.js";

const models = {
  currentModelId: "m1",
  availableModels: [
    { modelId: "m1", name: "One" },
    { modelId: "m2", name: "Two", description: "Slower" },
  ],
};

function read(result: unknown): SessionOptions {
  const options = new SessionOptions();
  options.read(result);
  return options;
}

/** An agent that gives every request this answer. */
function answering(answer: Readonly<Record<string, unknown>>): Parameters<SessionOptions["change"]>[0] {
  return { call: () => Promise.resolve(answer) };
}

describe("what a session lets the user choose", () => {
  it("is the agent's config options, with its modes in front", () => {
    assert.deepEqual(read({ configOptions: sampleConfigOptions, modes: sampleModes }).view, [
      {
        id: "symposium:mode",
        name: "Mode",
        category: "mode",
        value: "ask",
        choices: [
          { value: "ask", name: "Ask" },
          { value: "code", name: "Code", description: "Writes files" },
        ],
      },
      {
        id: "model",
        name: "Model",
        category: "model",
        value: "small",
        choices: [
          { value: "small", name: "Small" },
          { value: "large", name: "Large", description: "Slower" },
        ],
      },
      { id: "verbose", name: "Verbose", category: "other", value: false },
    ]);
  });

  it("leaves older modes and models out where a config option stands for them", () => {
    const options = read({ configOptions: sampleConfigOptions, models });
    assert.deepEqual(
      options.view.map(({ id }) => id),
      ["model", "verbose"],
    );
  });

  it("names the group of a choice", () => {
    const group = { group: "fast", name: "Fast", options: [{ value: "a", name: "A" }] };
    const { view } = read({
      configOptions: [{ id: "model", name: "Model", type: "select", currentValue: "a", options: [group] }],
    });
    assert.deepEqual(view[0]?.choices, [{ value: "a", name: "A", group: "Fast" }]);
  });

  it("asks for a config option by its id, and says that a switch is one", () => {
    const options = read({ configOptions: sampleConfigOptions });
    assert.deepEqual(options.request("model", "large"), {
      method: "session/set_config_option",
      params: { configId: "model", value: "large" },
    });
    assert.deepEqual(options.request("verbose", true), {
      method: "session/set_config_option",
      params: { configId: "verbose", type: "boolean", value: true },
    });
    assert.equal(options.request("unknown", "x"), undefined);
  });

  it("falls back to session/set_mode and session/set_model", async () => {
    const options = read({ modes: sampleModes, models });
    assert.deepEqual(options.request("symposium:mode", "code"), {
      method: "session/set_mode",
      params: { modeId: "code" },
    });
    assert.deepEqual(options.request("symposium:model", "m2"), {
      method: "session/set_model",
      params: { modelId: "m2" },
    });
    await options.change(answering({}), "session-1", "symposium:model", "m2");
    assert.equal(options.view.find(({ id }) => id === "symposium:model")?.value, "m2");
  });

  it("takes the whole list of an answer, since one option may change others", async () => {
    const options = read({ configOptions: sampleConfigOptions });
    const configOptions = [{ ...sampleConfigOptions[1], currentValue: true }];
    await options.change(answering({ configOptions }), "session-1", "model", "large");
    assert.deepEqual(options.view, [{ id: "verbose", name: "Verbose", category: "other", value: true }]);
  });
});
