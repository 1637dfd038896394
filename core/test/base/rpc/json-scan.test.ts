import assert from "node:assert/strict";
import fc from "fast-check";
import { isJson } from "../../../src/base/rpc/json-scan.js";
import { jsonText, mutated } from "./json-text.js";

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("isJson", () => {
  it("agrees with JSON.parse on every value, whole and damaged", () => {
    fc.assert(
      fc.property(fc.oneof(jsonText, jsonText.chain(mutated)), (text) => {
        assert.equal(isJson(text), parses(text), text);
      }),
      { numRuns: 500 },
    );
  });

  const texts = [
    ...["", " ", "{}", "[]", "{]", "[}", "[1,]", '{"a":1,}', '{"a"}', '{"a":}', "{a:1}", "{,}", "[,]", "[1 2]", "1 2"],
    ...["01", "-", "1.", ".5", "1e", "+1", "-0", "1E+2", "NaN", "nul", "nulll", "true false", "tru"],
    ...['"\t"', '"\\x"', '"\\u12"', '"\\u12G4"', '"\\', '"', '"\ud800"', '"\u2028"', "\ufeff1", "\u00a01", "[[[[]]]]"],
    ...['{"a":{"b":[{}]}}', '{"a":[}', '{"a":1]', "[1}", '{"a" 1}', '{"a"::1}', "[]]", "{}}"],
  ];
  for (const text of texts) {
    it(`agrees with JSON.parse on ${JSON.stringify(text)}`, () => {
      assert.equal(isJson(text), parses(text));
    });
  }

  it("takes texts as long and as deep as they come", () => {
    assert.ok(isJson(`${"[".repeat(200_000)}${"]".repeat(200_000)}`));
    assert.ok(isJson(JSON.stringify('\\"a'.repeat(500_000))));
  });
});
