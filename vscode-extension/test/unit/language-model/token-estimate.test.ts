import assert from "node:assert/strict";
import { TokenCounts } from "../../../src/features/language-model/token-counts.js";
import { estimateTokens } from "../../../src/features/language-model/token-estimate.js";
import { tokenSamples } from "./token-samples.js";

function errors(estimate: (text: string) => number): number[] {
  return tokenSamples.map(({ text, tokens }) => Math.abs(estimate(text) - tokens) / tokens);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

describe("the estimate of tokens", () => {
  it("is within a quarter of the true count for every kind of text", () => {
    const wrong = tokenSamples.filter(({ text, tokens }) => Math.abs(estimateTokens(text) - tokens) > tokens / 4);
    assert.deepEqual(
      wrong.map(({ name }) => name),
      [],
    );
  });

  it("is off by less than a third of what a quarter of the characters is", () => {
    const plain = mean(errors((text) => Math.ceil(text.length / 4)));
    assert.ok(mean(errors(estimateTokens)) < plain / 3);
  });

  it("is nothing for nothing, and something for anything", () => {
    assert.equal(estimateTokens(""), 0);
    for (const text of ["a", " ", "\n", "é", "字", "\ud800", "😀", "\u0000"]) assert.ok(estimateTokens(text) > 0, text);
  });
});

describe("counts of tokens", () => {
  it("are the same when they are remembered", () => {
    const counts = new TokenCounts();
    const text = "A text that is long enough to be worth remembering.";
    assert.deepEqual([counts.ofText(text), counts.ofText(text)], [estimateTokens(text), estimateTokens(text)]);
  });

  it("are right also beyond what can be remembered", () => {
    const counts = new TokenCounts(100);
    const texts = Array.from({ length: 10 }, (_, index) => `${index} is a text of about fifty characters, all told.`);
    for (const text of [...texts, ...texts]) assert.equal(counts.ofText(text), estimateTokens(text));
  });

  it("of a message cover every part", () => {
    const counts = new TokenCounts();
    const all = counts.ofMessage({
      content: [
        { type: "text", value: "one" },
        { type: "tool_call", toolCallId: "c", toolName: "read", parameters: { path: "a" } },
        { type: "tool_result", toolCallId: "c", result: [{ type: "text", value: "two words" }] },
        { type: "data", mimeType: "image/png", data: "AA==" },
        { type: "data", mimeType: "cache_control", data: "AA==" },
      ],
    });
    const words = ["one", "read", '{"path":"a"}', "two words"].map(estimateTokens);
    const overheads = 3 * 4;
    assert.equal(all, words.reduce((sum, count) => sum + count, 0) + overheads + 1_100);
  });
});
