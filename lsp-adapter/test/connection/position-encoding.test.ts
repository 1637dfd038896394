import assert from "node:assert/strict";
import fc from "fast-check";
import { encodeParams, fromServer, fromServerColumn, toServerColumn } from "../../src/connection/position-encoding.js";

const line = 'let s = "a🦀é"; total()';
const lines: Readonly<Record<string, readonly string[]>> = { "file:///a": [line], "file:///b": ["", "é = b"] };
const lineText = (uri: string, number: number): string | undefined => lines[uri]?.[number];

describe("position encodings", () => {
  it("count an emoji as four bytes, two code units and one character", () => {
    const column = line.indexOf("total");
    const columns = (["utf-8", "utf-16", "utf-32"] as const).map((encoding) => toServerColumn(encoding, line, column));
    assert.deepEqual(columns, [19, 16, 15]);
  });

  it("come back to the same column from every encoding", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.nat(40),
        fc.constantFrom("utf-8", "utf-16", "utf-32"),
        (text, at, encoding) => {
          const column = Array.from(text).slice(0, at).join("").length;
          assert.equal(fromServerColumn(encoding, text, toServerColumn(encoding, text, column)), column);
        },
      ),
    );
  });

  it("are converted in the document that each position belongs to", () => {
    const at = (lineNumber: number, character: number): object => ({ line: lineNumber, character });
    const answer = {
      uri: "file:///a",
      range: { start: at(0, 19), end: at(0, 24) },
      changes: { "file:///b": [{ range: { start: at(1, 5), end: at(1, 6) }, newText: "c" }] },
      data: { position: at(0, 19) },
    };
    assert.deepEqual(fromServer("utf-8", answer, "file:///b", lineText), {
      uri: "file:///a",
      range: { start: at(0, 16), end: at(0, 21) },
      changes: { "file:///b": [{ range: { start: at(1, 4), end: at(1, 5) }, newText: "c" }] },
      data: { position: at(0, 19) },
    });
  });

  it("are converted in a question's position, and not in what came from the server", () => {
    const params = { position: { line: 0, character: 16 }, item: { range: { start: { line: 0, character: 19 } } } };
    assert.deepEqual(encodeParams("utf-8", params, "file:///a", lineText), {
      ...params,
      position: { line: 0, character: 19 },
    });
  });
});
