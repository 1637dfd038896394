import assert from "node:assert/strict";
import { toAnswer, toFields } from "../../../webview/chat/cards/elicitation-questions.js";

const problemsOf = (schema: unknown, values: Readonly<Record<string, unknown>>): Record<string, string> => {
  const answer = toAnswer(toFields(schema), values);
  return "problems" in answer ? Object.fromEntries(answer.problems) : {};
};
const contentOf = (schema: unknown, values: Readonly<Record<string, unknown>>): unknown => {
  const answer = toAnswer(toFields(schema), values);
  return "content" in answer ? answer.content : undefined;
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
        minLength: 2,
        maxLength: undefined,
        pattern: undefined,
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
        isInteger: true,
        minimum: 1,
        maximum: undefined,
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
        minItems: undefined,
        maxItems: 1,
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
  const text = (rules: object): unknown => ({ properties: { a: { type: "string", ...rules } } });

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

  it("asks for what is required", () => {
    const schema = {
      required: ["t", "c", "m"],
      properties: {
        t: { type: "string" },
        c: { type: "string", enum: ["x"] },
        m: { type: "array", items: { enum: ["x"] } },
      },
    };
    assert.deepEqual(problemsOf(schema, { t: " " }), {
      t: "Please answer this.",
      c: "Please answer this.",
      m: "Please answer this.",
    });
  });

  it("checks lengths in characters, not in code units", () => {
    assert.deepEqual(problemsOf(text({ maxLength: 2 }), { a: "😀😀" }), {});
    assert.deepEqual(problemsOf(text({ minLength: 3 }), { a: "😀😀" }), { a: "Enter at least 3 characters." });
  });

  it("checks formats, patterns and limits", () => {
    const bad: [object, string, string][] = [
      [text({ format: "email" }) as object, "me", "Enter an email address."],
      [text({ format: "uri" }) as object, "example.com", "Enter a complete URL, with https:// or another scheme."],
      [text({ format: "date" }) as object, "soon", "Enter a date."],
      [text({ pattern: "^v" }) as object, "1.0", "Enter text that matches the pattern ^v"],
      [{ properties: { a: { type: "integer" } } }, "1.5", "Enter a whole number."],
      [{ properties: { a: { type: "number", maximum: 4 } } }, "5", "Enter a number no greater than 4."],
      [{ properties: { a: { type: "number" } } }, "many", "“many” isn't a number."],
    ];
    assert.deepEqual(
      bad.map(([schema, value]) => problemsOf(schema, { a: value })["a"]),
      bad.map(([, , problem]) => problem),
    );
  });

  it("checks how many were chosen", () => {
    const schema = { properties: { a: { type: "array", items: { enum: ["x", "y", "z"] }, minItems: 2, maxItems: 2 } } };
    assert.deepEqual(
      [
        problemsOf(schema, { a: ["x"] }),
        problemsOf(schema, { a: ["x", "y", "z"] }),
        problemsOf(schema, { a: ["x", "y"] }),
      ],
      [{ a: "Choose at least 2." }, { a: "Choose at most 2." }, {}],
    );
  });

  it("is not held up by a pattern that is no regular expression", () => {
    assert.deepEqual(contentOf(text({ pattern: "(" }), { a: "x" }), { a: "x" });
  });
});
