import assert from "node:assert/strict";
import { toAnswer, toFields } from "../../../webview/chat/cards/elicitation-schema-fields.js";

const contentOf = (schema: unknown, values: Readonly<Record<string, unknown>>): unknown => {
  return toAnswer(toFields(schema), values);
};

describe("the questions of a form", () => {
  it("show with a choice of Claude's what it would come to", () => {
    const meta = (preview: unknown): object => ({ _meta: { "_claude/askUserQuestionOption": { preview } } });
    const oneOf = [
      { const: "a", title: "A", ...meta("const a = 1;") },
      { const: "b", ...meta(7) },
    ];
    const [field] = toFields({ properties: { question_0: { type: "string", oneOf } } });
    assert.deepEqual(field?.type === "choice" && field.choices.map(({ value, preview }) => [value, preview]), [
      ["a", "const a = 1;"],
      ["b", undefined],
    ]);
  });

  it("are secret where the schema says so in any of its ways", () => {
    const secret = [
      { _meta: { codex: { isSecret: true } } },
      { _meta: { isSecret: true } },
      { format: "password" },
      { writeOnly: true },
    ];
    const plain = [{}, { _meta: { codex: { isSecret: false } } }, { format: "email" }];
    const properties = [...secret, ...plain].map((members, index): [string, unknown] => [
      `f${index}`,
      { type: "string", ...members },
    ]);
    const fields = toFields({ type: "object", properties: Object.fromEntries(properties) });
    const isSecret = fields.map((field) => field.type === "text" && field.isSecret);
    assert.deepEqual(isSecret, [true, true, true, true, false, false, false]);
  });

  it("come from the schema in its order, with titles, defaults and choices", () => {
    const fields = toFields({
      type: "object",
      required: ["name"],
      properties: {
        name: { type: "string", title: "Name", description: "Yours", minLength: 2 },
        kind: { type: "string", oneOf: [{ const: "a", title: "A", description: "first" }], default: "a" },
        old: { type: "string", enum: ["x"], enumNames: ["X"] },
        count: { type: "integer", minimum: 1, default: 3 },
        many: { type: "array", items: { type: "string", enum: ["l", "m"] }, default: ["m"], maxItems: 1 },
        on: { type: "boolean", default: true },
      },
    });
    assert.deepEqual(fields, [
      {
        name: "name",
        label: "Name",
        description: "Yours",
        isRequired: true,
        type: "text",
        format: undefined,
        isSecret: false,
        initial: "",
      },
      {
        name: "kind",
        label: "kind",
        description: "",
        isRequired: false,
        type: "choice",
        choices: [{ value: "a", name: "A", description: "first" }],
        initial: "a",
      },
      {
        name: "old",
        label: "old",
        description: "",
        isRequired: false,
        type: "choice",
        choices: [{ value: "x", name: "X" }],
        initial: "",
      },
      {
        name: "count",
        label: "count",
        description: "",
        isRequired: false,
        type: "number",
        initial: "3",
      },
      {
        name: "many",
        label: "many",
        description: "",
        isRequired: false,
        type: "choices",
        choices: [
          { value: "l", name: "l" },
          { value: "m", name: "m" },
        ],
        initial: ["m"],
      },
      { name: "on", label: "on", description: "", isRequired: false, type: "boolean", initial: true },
    ]);
  });

  it("are asked as well as possible when the schema is odd", () => {
    const odd = {
      properties: { a: { type: "string", minLength: "two", title: null }, b: { type: "_color" }, c: 3 },
      required: "a",
    };
    assert.deepEqual(
      toFields(odd).map(({ name, type, isRequired }) => [name, type, isRequired]),
      [
        ["a", "text", false],
        ["b", "json", false],
        ["c", "json", false],
      ],
    );
    assert.deepEqual([toFields(undefined), toFields({ properties: [] })], [[], []]);
  });

  it("take null for absent, as the protocol does", () => {
    const schema = {
      properties: { a: { type: "string", title: null, enum: null, oneOf: null, maxLength: null } },
      required: null,
    };
    assert.deepEqual(
      toFields(schema).map(({ name, label, type }) => [name, label, type]),
      [["a", "a", "text"]],
    );
  });
});

describe("the answer to a form", () => {
  it("leaves out what was not answered and converts the rest", () => {
    const schema = {
      required: ["n"],
      properties: {
        n: { type: "number" },
        t: { type: "string" },
        on: { type: "boolean" },
        many: { type: "array", items: { enum: ["x", "y"] } },
        raw: { type: "_x" },
      },
    };
    assert.deepEqual(contentOf(schema, { n: "2.5", t: "  ", many: ["y"], raw: '{"a":1}' }), {
      n: 2.5,
      on: false,
      many: ["y"],
      raw: { a: 1 },
    });
  });

  it("leaves a number and a time that can't be read to the extension", () => {
    const schema = { properties: { n: { type: "number" }, at: { type: "string", format: "date-time" } } };
    assert.deepEqual(contentOf(schema, { n: "many", at: "soon" }), { n: "many", at: "soon" });
  });
});
