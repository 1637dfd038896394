import assert from "node:assert/strict";
import { withAgent, withoutAgent } from "../../../src/features/settings/agents-setting.js";

describe("the setting symposium.agents", () => {
  const mine = { id: "mine", distribution: { npx: { package: "mine" } } };

  it("gets an agent in the form that it has, whose older entry it replaces", () => {
    const { id, ...rest } = mine;
    assert.deepEqual(withAgent(undefined, mine), { [id]: rest });
    assert.deepEqual(withAgent({ other: {}, mine: {} }, mine), { other: {}, mine: rest });
    assert.deepEqual(withAgent([{ id: "mine" }, { id: "other" }], mine), [{ id: "other" }, mine]);
  });

  it("loses an agent in the form that it has, and goes back to the default with the last", () => {
    assert.deepEqual(withoutAgent({ other: {}, mine: {} }, "mine"), { other: {} });
    assert.deepEqual(withoutAgent([mine, { id: "other" }, "what the user wrote"], "mine"), [
      { id: "other" },
      "what the user wrote",
    ]);
    assert.deepEqual([withoutAgent({ mine: {} }, "mine"), withoutAgent([mine], "mine")], [undefined, undefined]);
  });
});
