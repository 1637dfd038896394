import assert from "node:assert/strict";
import { asObject, Json } from "../../../src/base/rpc/json.js";

describe("Json", () => {
  it("keeps raw text, even when it was parsed", () => {
    const json = Json.ofText(' {"a": 1.0}');
    assert.deepEqual([json.value, json.text], [{ a: 1 }, ' {"a": 1.0}']);
  });

  it("writes values, undefined as null", () => {
    assert.deepEqual(
      [Json.of({ a: [1, null] }).text, Json.of(undefined).text, Json.null.text],
      ['{"a":[1,null]}', "null", "null"],
    );
  });

  it("has an object only where the text is one", () => {
    const objects = ['{"a":1}', "[]", "null", '"a"', "not json", "{"].map((text) => Json.ofText(text).object);
    assert.deepEqual(objects, [{ a: 1 }, undefined, undefined, undefined, undefined, undefined]);
  });

  it("throws when the value of text that is no JSON is asked for, each time", () => {
    const json = Json.ofText("{");
    assert.throws(() => json.value, SyntaxError);
    assert.throws(() => json.value, SyntaxError);
  });

  it("parses once, so that all who look share the value", () => {
    const json = Json.ofText('{"a":{}}');
    assert.equal(json.value, json.value);
  });
});

describe("asObject", () => {
  it("takes objects and neither arrays nor null", () => {
    assert.deepEqual([{}, [], null, "", 1, undefined].map(asObject), [
      {},
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
