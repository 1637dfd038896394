import assert from "node:assert/strict";
import { editPrompt, linesIn, linesNow } from "../../../src/features/edit-here/edited-lines.js";

const text = ["one", "two", "three", "four"];

describe("an edit of some lines", () => {
  it("is asked for with the lines, the file around them and the user's words", () => {
    const prompt = editPrompt({
      label: "src/a.ts",
      languageId: "typescript",
      text,
      lines: { start: 1, end: 2 },
      wish: "Say it in German.",
    });
    assert.equal(prompt.slice(0, prompt.indexOf("\n")), "Change lines 2 to 3 of the file src/a.ts as the user wishes:");
    assert.equal(
      prompt.slice(prompt.indexOf("The file before")),
      [
        "The file before these lines:",
        "```typescript\none\n```",
        "The lines to change:",
        "```typescript\ntwo\nthree\n```",
        "The file after these lines:",
        "```typescript\nfour\n```",
      ].join("\n\n"),
    );
  });

  it("has what is nearest of a long file", () => {
    const long = Array.from({ length: 10_000 }, (_, at) => `line ${at}`);
    const prompt = editPrompt({
      label: "a",
      languageId: "text",
      text: long,
      lines: { start: 5_000, end: 5_000 },
      wish: "x",
    });
    assert.ok(prompt.length < 45_000, String(prompt.length));
    for (const near of [4_990, 4_999, 5_000, 5_001, 5_010]) assert.match(prompt, new RegExp(`^line ${near}$`, "m"));
    for (const far of [0, 9_999]) assert.doesNotMatch(prompt, new RegExp(`^line ${far}$`, "m"));
  });

  it("is what stands in the code block of the answer", () => {
    assert.deepEqual(linesIn("Here:\r\n```ts\r\n  zwei\r\n\r\ndrei\r\n```\r\nDone."), ["  zwei", "", "drei"]);
    assert.deepEqual(linesIn("```\n```"), []);
    assert.equal(linesIn("It cannot be done."), undefined);
    assert.equal(linesIn("```ts\nnever closed"), undefined);
    assert.deepEqual(linesIn("````md\n# A\n```ts\nx\n```\n````"), ["# A", "```ts", "x", "```"]);
    assert.deepEqual(linesIn("```md\n# A\n```ts\nx\n```\nend\n```"), ["# A", "```ts", "x", "```", "end"]);
    assert.deepEqual(linesIn("```ts\none\n```\nor\n```\ntwo\n```"), ["one"]);
  });

  it("goes where its lines stand now", () => {
    const were = ["two", "three"];
    const lines = { start: 1, end: 2 };
    assert.deepEqual(linesNow(text, were, lines), lines);
    assert.deepEqual(linesNow(["zero", ...text], were, lines), { start: 2, end: 3 });
    assert.deepEqual(linesNow(["two", ...text], ["two"], { start: 1, end: 1 }), undefined);
    assert.deepEqual(linesNow(["one", "two!", "three"], were, lines), undefined);
  });
});
