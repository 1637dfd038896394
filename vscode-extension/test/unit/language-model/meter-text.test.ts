import assert from "node:assert/strict";
import type { ModelInformation } from "@symposium-dev/core";
import { meterText } from "../../../src/features/language-model/response-parts.js";

const model: ModelInformation = {
  id: "one",
  name: "One",
  family: "one",
  version: "1",
  maxInputTokens: 90_000,
  maxOutputTokens: 10_000,
  capabilities: { toolCalling: true, imageInput: false },
  agentId: "one",
};

describe("the meter of the context", () => {
  it("shows what the agent tells", () => {
    const usage = { inputTokens: 1_000, outputTokens: 20, contextUsed: 12_345, contextSize: 200_000 };
    assert.deepEqual(
      meterText(model, usage, () => 1),
      {
        text: "$(pulse) 12.3k/200k",
        tooltip: [
          "One: 12,345 of 200,000 tokens of context (6 %)",
          "Input of the last turn: 1,000 tokens",
          "Output of the last turn: 20 tokens",
          "Click to manage language models.",
        ].join("\n"),
      },
    );
  });

  it("estimates where it tells nothing, and says so", () => {
    assert.deepEqual(
      meterText(model, undefined, () => 50_000),
      {
        text: "$(pulse) ≈50k/100k",
        tooltip: [
          "One: ≈50,000 of 100,000 tokens of context (≈50 %)",
          "The agent doesn't report its usage. This is an estimate based on the messages.",
          "Click to manage language models.",
        ].join("\n"),
      },
    );
  });

  it("is short for every size", () => {
    const shown = [0, 999, 1_000, 99_949, 99_950, 999_499, 999_500, 1_234_567].map(
      (contextUsed) => /\) (.*)\//.exec(meterText(model, { contextUsed, contextSize: 2_000_000 }, () => 0).text)?.[1],
    );
    assert.deepEqual(shown, ["0", "999", "1k", "99.9k", "100k", "999k", "1M", "1.2M"]);
  });
});
