import assert from "node:assert/strict";
import fc from "fast-check";
import { parse } from "jsonc-parser";
import { oneLine } from "../../src/base/line-splitter.js";

const lineEnds = /[\n\r\u2028\u2029]/;
const end = fc.constantFrom("\n", "\r", "\r\n", "\u2028", "\u2029");

/** JSON text with line ends of every kind wherever they may stand: between tokens, and the last two in strings and names. */
const text = fc
  .tuple(
    fc.jsonValue({
      stringUnit: fc.oneof(fc.constantFrom("\u2028", "\u2029", "\\", '"', "\n"), fc.string({ unit: "binary" })),
    }),
    fc.constantFrom("\n", "\r", "\r\n", "\n\t"),
  )
  .map(([value, lineEnd]) => JSON.stringify(value, null, 1).replaceAll("\n", lineEnd));

describe("oneLine", () => {
  it("leaves no line end in any JSON text, and what it says as it is", () => {
    fc.assert(
      fc.property(text, (json) => {
        const line = oneLine(json);
        assert.doesNotMatch(line, lineEnds);
        // Not by JSON.parse: that of Node 24 takes an escaped name for "\\" once it has read an object with that name.
        assert.deepEqual(parse(line), parse(json));
      }),
      { numRuns: 500 },
    );
  });

  it("leaves no line end in text that is no JSON either", () => {
    const any = fc.array(fc.oneof(end, fc.string({ unit: "binary" }))).map((parts) => parts.join(""));
    fc.assert(fc.property(any, (given) => assert.doesNotMatch(oneLine(given), lineEnds)));
  });

  it("gives text that is one line back as it is", () => {
    const given = '{"a" : "\\n\\u2028 é😀\u0085"}';
    assert.equal(oneLine(given), given);
  });
});
