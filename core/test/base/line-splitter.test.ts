import assert from "node:assert/strict";
import fc from "fast-check";
import { LineSplitter, type OversizeLine } from "../../src/base/line-splitter.js";

interface Split {
  readonly lines: string[];
  readonly oversized: OversizeLine[];
}

function split(chunks: readonly string[], maxBytes?: number): Split {
  const result: Split = { lines: [], oversized: [] };
  const splitter = new LineSplitter(
    { line: (line) => result.lines.push(line), oversize: (line) => result.oversized.push(line) },
    maxBytes,
  );
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return result;
}

/** `text` in pieces, cut anywhere: inside surrogate pairs and between `\r` and `\n` too. */
function chunked(text: fc.Arbitrary<string>): fc.Arbitrary<{ text: string; chunks: string[] }> {
  return text.chain((whole) =>
    fc.uniqueArray(fc.nat({ max: whole.length })).map((places) => {
      const cuts = [0, ...places.sort((a, b) => a - b), whole.length];
      return { text: whole, chunks: cuts.slice(1).map((cut, index) => whole.slice(cuts[index], cut)) };
    }),
  );
}

const line = fc.oneof(fc.string({ unit: fc.constantFrom("a", "😀", "\r", " ", "é", "\u2028") }), fc.string());
const text = fc
  .array(fc.tuple(line, fc.constantFrom("\n", "\r\n")).map((parts) => parts.join("")))
  .map((lines) => lines.join(""));

describe("LineSplitter", () => {
  it("cuts the same lines wherever the chunks end", () => {
    fc.assert(
      fc.property(chunked(fc.tuple(text, line).map((parts) => parts.join(""))), (given) => {
        const expected = given.text
          .split("\n")
          .map((one) => (one.endsWith("\r") ? one.slice(0, -1) : one))
          .filter((one) => one !== "");
        assert.deepEqual(split(given.chunks), { lines: expected, oversized: [] });
      }),
    );
  });

  it("counts what is longer than its limit, and keeps its beginning and its end wherever the chunks end", () => {
    const long = `{"id":1,${"x".repeat(40_000)},"end":true}`;
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: long.length }), { maxLength: 6 }), (places) => {
        const cuts = [0, ...places.sort((a, b) => a - b), long.length];
        const chunks = ["before\n", ...cuts.slice(1).map((cut, index) => long.slice(cuts[index], cut)), "\nafter\n"];
        assert.deepEqual(split(chunks, 39_990), {
          lines: ["before", "after"],
          oversized: [{ head: long.slice(0, 16_384), tail: long.slice(-1_024), bytes: long.length }],
        });
      }),
    );
  });

  it("takes a line of exactly its limit and none of one more", () => {
    const { lines, oversized } = split(["1234\n", "12", "345\n", "12345\n", "1234"], 4);
    assert.deepEqual({ lines, bytes: oversized.map(({ bytes }) => bytes) }, { lines: ["1234", "1234"], bytes: [5, 5] });
  });

  it("counts bytes, wherever the chunks end", () => {
    const unit = fc.constantFrom("a", "é", "漢", "😀");
    fc.assert(
      fc.property(
        chunked(fc.string({ unit, minLength: 1, maxLength: 12 })),
        fc.integer({ min: 1, max: 50 }),
        (given, max) => {
          const bytes = Buffer.byteLength(given.text);
          const { lines, oversized } = split([...given.chunks, "\nb\n"], max);
          assert.deepEqual(
            [lines, oversized.map((one) => one.bytes)],
            bytes > max ? [["b"], [bytes]] : [[given.text, "b"], []],
          );
        },
      ),
    );
  });

  it("reports a last line over the limit that no newline ends", () => {
    assert.deepEqual(split(["ab", "cd", "e"], 3).oversized, [{ head: "abcd", tail: "abcde", bytes: 5 }]);
  });

  it("delivers nothing at the end when nothing is left", () => {
    assert.deepEqual(
      [split([]), split(["a\n"]), split(["\r"]), split(["\n\r\n", "\r", "\n"])].map(({ lines }) => lines),
      [[], ["a"], [], []],
    );
  });
});
