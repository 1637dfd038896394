import assert from "node:assert/strict";
import { movedLine } from "../../../src/features/review/hunks/moved-line.js";

describe("the line of a finding", () => {
  const before = ["one", "two", "three", "four", "five"];
  const at = (line: number, now: readonly string[]): string | undefined => now[movedLine(line, before, now)];

  it("moves with what is added and removed above it, and stays where something changes below", () => {
    assert.equal(at(2, ["new", "newer", ...before]), "three");
    assert.equal(at(2, ["one", "two", "new", "three", "four", "five"]), "three");
    assert.equal(at(2, before.slice(2)), "three");
    assert.equal(at(2, ["one", "two", "three", "FOUR", "more", "five"]), "three");
    assert.equal(at(2, ["TWO", "new", "three", "new"]), "three");
    assert.equal(at(2, before), "three");
  });

  it("stays at the place of a line that is changed or gone", () => {
    assert.equal(at(2, ["new", "one", "two", "THREE", "four", "five"]), "THREE");
    assert.equal(at(3, ["one", "all in one", "five"]), "all in one");
    assert.equal(at(2, ["one", "two", "four", "five"]), "four");
    assert.equal(movedLine(4, before, before.slice(0, 4)), 4);
    assert.equal(movedLine(2, before, []), 0);
  });
});
