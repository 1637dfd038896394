import assert from "node:assert/strict";
import { shortfalls } from "./hand-off-quality.js";
import { recalls } from "./hand-off-recall.js";

describe("A conversation that another agent goes on with", () => {
  it("has 6 of 10 facts in its document, 9 with look-ups, and below 6,000 tokens, for each of 12 recorded ones", async function () {
    this.timeout(60_000);
    const found = await recalls();
    assert.equal(found.length, 12);
    assert.deepEqual(shortfalls(found), []);
  });
});
