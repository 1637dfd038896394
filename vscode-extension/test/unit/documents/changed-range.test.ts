import assert from "node:assert/strict";
import fc from "fast-check";
import { changedRange } from "../../../src/features/documents/changed-range.js";

describe("changedRange", () => {
  it("names the smallest replacement", () => {
    assert.deepEqual(changedRange("one two three", "one 2 three"), { from: 4, to: 7, inserted: "2" });
  });

  it("never begins or ends inside a line end or a character", () => {
    assert.deepEqual(changedRange("a\r\nb", "a\rb"), { from: 1, to: 3, inserted: "\r" });
    assert.deepEqual(changedRange("😀", "😁"), { from: 0, to: 2, inserted: "😁" });
  });

  it("makes the new text of the old one", () => {
    const text = fc.array(fc.constantFrom("a", "b", "\r", "\n", "😀", "😁"), { maxLength: 12 }).map((p) => p.join(""));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { from, to, inserted } = changedRange(before, after);
        assert.equal(before.slice(0, from) + inserted + before.slice(to), after);
      }),
    );
  });
});
