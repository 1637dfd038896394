import assert from "node:assert/strict";
import { removedTexts } from "../../../src/features/review/marks/removed-texts.js";

describe("the removed lines beside a change", () => {
  const texts = (start: number, removed: readonly string[], added: readonly string[], lineCount = 10): unknown =>
    removedTexts({ start, removed, added }, lineCount).map(({ line, text }) => `${line}: ${text}`);

  it("stand behind the lines that replace them, the rest behind the last of these", () => {
    assert.deepEqual(texts(2, ["  one\n", "two\n", "three\n"], ["ONE\n", "TWO\n"]), ["2: one", "3: two ⏎ three"]);
    assert.deepEqual(texts(2, ["one\n"], ["ONE\n", "TWO\n"]), ["2: one"]);
    assert.deepEqual(texts(2, [], ["ONE\n"]), []);
  });

  it("stand at the place where they were, if nothing replaces them", () => {
    assert.deepEqual(texts(4, ["one\r\n", "two\r\n"], []), ["4: one ⏎ two"]);
    assert.deepEqual(texts(10, ["one"], [], 10), ["9: one"]);
  });

  it("show spaces and tabs if nothing else differs, and are cut off if they are long", () => {
    assert.deepEqual(texts(0, ["\tone two\n"], ["  one two\n"]), ["0: →one·two"]);
    assert.deepEqual(texts(0, ["x".repeat(200)], ["y"]), [`0: ${"x".repeat(160)}…`]);
  });
});
