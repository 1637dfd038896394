import assert from "node:assert/strict";
import fc from "fast-check";
import { JsonDocument } from "../../src/settings/json-document.js";

describe("JsonDocument", () => {
  it("reads comments, trailing commas and a byte order mark", () => {
    const document = JsonDocument.parse(`\uFEFF// c\n{ "a": [1, 2,], /* d */ }\n`);
    assert.deepEqual([document.value, document.problems], [{ a: [1, 2] }, []]);
  });

  for (const text of ["", "  \r\n", "// only this", "/* a */ // b\n", "\uFEFF"]) {
    it(`finds nothing, and nothing wrong, in ${JSON.stringify(text)}`, () => {
      const { root, value, problems } = JsonDocument.parse(text);
      assert.deepEqual([root, value, problems], [undefined, undefined, []]);
    });
  }

  for (const [text, line, column, message] of [
    [`{"a": 1 "b": 2}`, 1, 9, "A comma is missing before this."],
    [`{\r\n  "a" 1}`, 2, 7, "A colon is missing before this."],
    [`{"a": 1`, 1, 8, "A closing } is missing before this."],
    [`{"a": [1`, 1, 9, "A closing ] is missing before this."],
    [`{a: 1}`, 1, 2, "This isn't valid JSON."],
    [`{'a': 1}`, 1, 2, "This isn't valid JSON."],
    [`{"a": "b}`, 1, 7, "This text is never closed."],
    [`/* a`, 1, 1, "This comment is never closed."],
    [`{} {}`, 1, 4, "There is text after the end of the value."],
    [`{"a": }`, 1, 7, "Expected a value."],
    ["[".repeat(100_000), 1, 101, "JSON can be nested at most 100 levels deep."],
  ] as const) {
    it(`says what is wrong in ${text.slice(0, 20)}`, () => {
      const { value, problems } = JsonDocument.parse(text);
      const shown = problems.map((problem) => [problem.line, problem.column, problem.message]);
      assert.deepEqual([value, shown], [undefined, [[line, column, message]]]);
    });
  }

  it("lets the last of two equal keys count, and warns", () => {
    const { value, problems } = JsonDocument.parse(`{"a": {"b": 1,\n "b": 2}}`);
    assert.deepEqual(
      [value, problems.map((problem) => [problem.severity, problem.message, problem.line])],
      [{ a: { b: 2 } }, [["warning", '"a.b" appears twice; the last one is used.', 2]]],
    );
  });

  it("keeps a key named __proto__ an ordinary key", () => {
    const { value } = JsonDocument.parse(`{"__proto__": {"a": 1}}`);
    assert.deepEqual(Object.keys(value as object), ["__proto__"]);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
  });

  it("locates a key, an item, and the nearest place of what is missing", () => {
    const document = JsonDocument.parse(`\uFEFF{ "a":\n  [1, { "b": 2 }] }`);
    const at = (...path: (string | number)[]) => {
      const { line, column } = document.locate({ severity: "error", path, message: "" });
      return [line, column];
    };
    assert.deepEqual(
      [at("a"), at("a", 0), at("a", 1, "b"), at("a", 1, "c"), at("x"), at()],
      [
        [1, 4],
        [2, 4],
        [2, 9],
        [2, 7],
        [1, 2],
        [1, 2],
      ],
    );
  });

  it("reads what JSON.parse reads, and to the same value", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        assert.deepEqual(JsonDocument.parse(text).value, JSON.parse(text));
      }),
    );
  }).timeout(20_000);
});
