import assert from "node:assert/strict";
import { StoredLines } from "../../../src/features/review/store/stored-lines.js";

describe("the lines of a list that stays open", () => {
  it("keep their places when one is gone, changes or comes, so that what is pressed in the list of before is the same", () => {
    const lines = new StoredLines<string>(() => "-");
    const shown = [
      lines.with(new Map(Object.entries({ a: "A", b: "B", c: "C" }))),
      lines.with(new Map(Object.entries({ d: "D", c: "C2" }))),
      lines.with(new Map(Object.entries({ a: "A again", d: "D" }))),
    ];
    assert.deepEqual(shown, [
      ["A", "B", "C"],
      ["-", "-", "C2", "D"],
      ["A again", "-", "-", "D"],
    ]);
  });
});
