import assert from "node:assert/strict";
import { amountText } from "../../src/guard/budget.js";

describe("the amount of a budget", () => {
  it("keeps two significant digits of less than a dollar", () => {
    const amounts = [0, 0.0018000000000000002, 0.456, 1, 1.239, 12];
    const texts = amounts.map((amount) => amountText({ figure: "dollars" }, amount));
    assert.deepEqual(
      texts.map((text) => text.replace(/ US dollars?$/, "")),
      ["0", "0.0018", "0.46", "1", "1.24", "12"],
    );
  });
});
