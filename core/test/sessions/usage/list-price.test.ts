import assert from "node:assert/strict";
import { listPriceOf, priceOf } from "../../../src/sessions/usage/list-price.js";

const result = (...usages: readonly (readonly [model: string, tokens: object])[]): string =>
  JSON.stringify({
    stopReason: "end_turn",
    _meta: {
      quota: { token_count: {}, model_usage: usages.map(([model, tokens]) => ({ model, token_count: tokens })) },
    },
  });
const million = 1_000_000;

describe("the list price of a turn", () => {
  it("is that of each model's tokens, with those of caches at their own prices", () => {
    const [first, second] = [priceOf("gpt-5"), priceOf("gemini-3-flash-preview")];
    assert.ok(first && second && first.cacheRead < first.input && first.input < first.output);
    const told = result(
      [
        "gpt-5",
        { totalTokens: 3 * million, inputTokens: 2 * million, cachedInputTokens: million, outputTokens: million },
      ],
      ["gemini-3-flash-preview", { input_tokens: million, output_tokens: million }],
    );
    const dollars = first.input + first.cacheRead + first.output + second.input + second.output;
    assert.deepEqual(listPriceOf(told), { microDollars: Math.round(dollars * million), unknown: [] });
  });

  it("takes tokens of a cache for other ones than the input where the total says so", () => {
    const price = priceOf("claude-sonnet-5");
    assert.ok(price);
    const tokens = {
      totalTokens: 4 * million,
      inputTokens: million,
      cachedInputTokens: million,
      cachedWriteTokens: million,
    };
    const told = result(["claude-sonnet-5", { ...tokens, outputTokens: million }]);
    const dollars = price.input + price.cacheRead + price.cacheWrite + price.output;
    assert.equal(listPriceOf(told)?.microDollars, Math.round(dollars * million));
  });

  it("names models that it has no price of, and counts the others", () => {
    const price = priceOf("gpt-5");
    assert.ok(price);
    const told = result(
      ["gpt-5", { inputTokens: million }],
      ["a-model-of-nobody", { inputTokens: 1 }],
      ["never-asked", { inputTokens: 0 }],
    );
    const expected = { microDollars: Math.round(price.input * million), unknown: ["a-model-of-nobody"] };
    assert.deepEqual(listPriceOf(told), expected);
  });

  it("reads names as agents write them", () => {
    for (const name of ["GPT-5", "openai/gpt-5", "gpt-5[high]", "gpt-5 (high)"])
      assert.deepEqual(priceOf(name), priceOf("gpt-5"));
    assert.equal(priceOf("auto"), undefined);
    assert.equal(priceOf("xgpt-5"), undefined);
  });

  it("is not there where the result does not say which models were asked", () => {
    for (const text of ["", "{}", '{"_meta":{"quota":{"model_usage":1}}}', '{"usage":{"inputTokens":5}}']) {
      assert.equal(listPriceOf(text), undefined);
    }
  });
});
