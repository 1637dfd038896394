import assert from "node:assert/strict";
import fc from "fast-check";
import { argumentSchema } from "../../src/models/tool-schema.js";
import { asObject } from "../../src/base/rpc/json.js";

const path = { type: "string" };

describe("the schema of a tool's arguments", () => {
  const forms: readonly (readonly [name: string, given: unknown, expected: unknown])[] = [
    ["missing", undefined, { type: "object", properties: {} }],
    ["null", null, { type: "object", properties: {} }],
    ["empty", {}, { type: "object", properties: {} }],
    ["true", true, { type: "object", properties: {} }],
    ["false", false, { type: "object", properties: {}, additionalProperties: false }],
    ["without a type", { properties: { path } }, { type: "object", properties: { path } }],
    ["nullable", { type: ["object", "null"], properties: { path } }, { type: "object", properties: { path } }],
    [
      "with words about itself",
      { $schema: "http://json-schema.org/draft-07/schema#", $id: "x", type: "object" },
      { type: "object", properties: {} },
    ],
    [
      "all of several",
      {
        allOf: [
          { type: "object", properties: { a: path }, required: ["a"] },
          { properties: { b: path }, required: ["b"] },
        ],
      },
      { type: "object", properties: { a: path, b: path }, required: ["a", "b"] },
    ],
    [
      "one of several",
      {
        type: "object",
        oneOf: [
          { properties: { kind: { const: "a" }, path }, required: ["kind", "path"] },
          { properties: { kind: { const: "b" } }, required: ["kind"] },
          { type: "null" },
        ],
      },
      {
        type: "object",
        properties: { kind: { anyOf: [{ const: "a" }, { const: "b" }] }, path },
        required: ["kind"],
      },
    ],
    [
      "any of several that only demand",
      { type: "object", properties: { a: path, b: path }, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
      { type: "object", properties: { a: path, b: path } },
    ],
    [
      "a reference",
      { $ref: "#/$defs/Args", $defs: { Args: { type: "object", properties: { path } } } },
      { type: "object", properties: { path }, $defs: { Args: { type: "object", properties: { path } } } },
    ],
    ["a reference to itself", { $ref: "#" }, { type: "object", properties: {} }],
    [
      "a tree",
      { $ref: "#/$defs/Node", $defs: { Node: { type: "object", properties: { next: { $ref: "#/$defs/Node" } } } } },
      {
        type: "object",
        properties: { next: { $ref: "#/$defs/Node" } },
        $defs: { Node: { type: "object", properties: { next: { $ref: "#/$defs/Node" } } } },
      },
    ],
    ["a reference to nowhere", { $ref: "#/$defs/Gone" }, { type: "object", properties: {} }],
    [
      "demanding what it does not describe",
      { type: "object", properties: { path }, required: ["path", "gone", 7] },
      { type: "object", properties: { path }, required: ["path"] },
    ],
    [
      "with lists of anything",
      { type: "object", properties: { all: { type: "array" }, some: { type: "array", items: true } } },
      { type: "object", properties: { all: { type: "array", items: {} }, some: { type: "array", items: true } } },
    ],
    [
      "with properties that are no schemas",
      { type: "object", properties: { any: true, none: false, nothing: null } },
      { type: "object", properties: { any: {}, none: { not: {} }, nothing: {} } },
    ],
    [
      "with an enumeration of objects",
      { type: "object", properties: { path }, enum: [{ path: "a" }], not: { required: ["b"] } },
      { type: "object", properties: { path } },
    ],
  ];
  for (const [name, given, expected] of forms) {
    it(`can be ${name}`, () => assert.deepEqual(argumentSchema(given), expected));
  }

  it("is refused in a sentence where it cannot mean an object", () => {
    assert.deepEqual(
      [
        argumentSchema("text"),
        argumentSchema([]),
        argumentSchema({ type: "string" }),
        argumentSchema({ anyOf: [{ type: "string" }] }),
      ],
      [
        "its schema is a string, not an object.",
        "its schema is a list, not an object.",
        'its arguments are of type "string", not an object.',
        "none of the alternatives in its anyOf is an object.",
      ],
    );
  });

  it("is read however deep it is", () => {
    let deep: object = { type: "string" };
    for (let depth = 0; depth < 5_000; depth++) deep = { type: "object", properties: { next: deep } };
    assert.equal(typeof argumentSchema(deep), "object");
  });

  it("comes out as an object schema that services take, whatever goes in, and stays so", () => {
    const key = fc.constantFrom(
      "type",
      "properties",
      "required",
      "anyOf",
      "allOf",
      "oneOf",
      "$ref",
      "items",
      "$defs",
      "a",
      "b",
    );
    const { schema } = fc.letrec<{ schema: unknown }>((tie) => ({
      schema: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom<unknown>("object", "string", "array", "#", "#/$defs/a", true, false, null, 7),
        fc.array(tie("schema"), { maxLength: 3 }),
        fc.dictionary(key, tie("schema"), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(schema, (given) => {
        const made = argumentSchema(given);
        if (typeof made === "string") return;
        assert.equal(made.type, "object");
        const properties = asObject(made.properties);
        assert.ok(properties);
        for (const refused of ["anyOf", "oneOf", "allOf", "$ref", "not", "enum"]) assert.equal(refused in made, false);
        const required: unknown = made["required"];
        assert.ok(
          required === undefined || (Array.isArray(required) && required.every((name) => String(name) in properties)),
        );
        assert.deepEqual(argumentSchema(made), made);
      }),
      { numRuns: 2_000 },
    );
  });
});
