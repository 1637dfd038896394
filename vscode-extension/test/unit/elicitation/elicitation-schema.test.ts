import * as l10n from "@vscode/l10n";
import assert from "node:assert/strict";
import { answerProblems } from "../../../src/features/elicitation/elicitation-schema.js";

const problemOf = (property: unknown, value: unknown): string | undefined =>
  answerProblems({ properties: { field: property } }, { field: value })["field"];

describe("answerProblems", () => {
  const fitting: [property: unknown, value: unknown][] = [
    [{ type: "string" }, ""],
    [{ type: "string", maxLength: 1 }, "😀"],
    [{ type: "string", pattern: "^a+$" }, "aaa"],
    [{ type: "string", pattern: "(" }, "no expression, not judged"],
    [{ type: "string", pattern: "^(a+)+$" }, `${"a".repeat(60)}, which takes for ever, not judged`],
    [{ type: "string", format: "email" }, "ada@example.com"],
    [{ type: "string", format: "uri" }, "https://example.com"],
    [{ type: "string", format: "date" }, "2024-02-29"],
    [{ type: "string", format: "date-time" }, "2024-02-29T23:59:59.5+02:00"],
    [{ type: "string", enum: ["a", "b"] }, "b"],
    [{ type: "string", oneOf: [{ const: "a", title: "A" }] }, "a"],
    [{ type: "number", minimum: 1, maximum: 2 }, 1.5],
    [{ type: "integer" }, 3],
    [{ type: "boolean" }, false],
    [{ type: "array", items: { enum: ["a", "b"] }, minItems: 1 }, ["a", "b"]],
    [{ type: "array", items: { anyOf: [{ const: "a" }] } }, ["a"]],
    [{ type: "_colour" }, "#fff"],
  ];
  for (const [property, value] of fitting) {
    it(`takes ${JSON.stringify(value)} for ${JSON.stringify(property)}`, () => {
      assert.equal(problemOf(property, value), undefined);
    });
  }

  const wrong: [property: unknown, value: unknown, problem: string][] = [
    [{ type: "string" }, 1, "Enter text."],
    [{ type: "string", minLength: 2 }, "a", "Enter at least 2 characters."],
    [{ type: "string", maxLength: 1 }, "ab", "Enter at most 1 characters."],
    [{ type: "string", pattern: "^a+$" }, "b", "Enter text that matches ^a+$."],
    [{ type: "string", format: "email" }, "ada", "Enter an email address."],
    [{ type: "string", format: "uri" }, "example", "Enter a URL such as https://example.com."],
    [{ type: "string", format: "date" }, "2025-02-29", "Enter a date such as 2026-01-31."],
    [{ type: "string", format: "date-time" }, "2025-02-28", "Enter a time such as 2026-01-31T12:00:00Z."],
    [{ type: "string", enum: ["a", "b"] }, "c", "Choose one of: a, b."],
    [{ type: "number" }, "1", "Enter a number."],
    [{ type: "number", minimum: 1 }, 0, "Enter a number of at least 1."],
    [{ type: "number", maximum: 1 }, 2, "Enter a number no greater than 1."],
    [{ type: "integer" }, 1.5, "Enter a whole number."],
    [{ type: "boolean" }, "yes", "Choose yes or no."],
    [{ type: "array", items: { enum: ["a"] } }, ["b"], "Choose among: a."],
    [{ type: "array", items: { enum: ["a"] } }, ["a", "a"], "Choose each item only once."],
    [{ type: "array", items: { enum: ["a"] }, minItems: 1 }, [], "Choose at least 1."],
    [{ type: "array", items: { enum: ["a", "b"] }, maxItems: 1 }, ["a", "b"], "Choose at most 1."],
  ];
  for (const [property, value, problem] of wrong) {
    it(`refuses ${JSON.stringify(value)} for ${JSON.stringify(property)}`, () => {
      assert.equal(problemOf(property, value), problem);
    });
  }

  it("reports problems in the user's language", () => {
    l10n.config({ contents: { "Enter at least {0} characters.": "Mindestens {0} Zeichen." } });
    try {
      assert.equal(problemOf({ type: "string", minLength: 2 }, "a"), "Mindestens 2 Zeichen.");
    } finally {
      l10n.config({ contents: {} });
    }
  });

  it("asks for what is required and refuses what is not asked for", () => {
    const schema = { properties: { name: { type: "string" }, nick: { type: "string" } }, required: ["name"] };
    assert.deepEqual(answerProblems(schema, { age: 1, nick: null }), {
      name: "An answer is required.",
      age: "The form has no such field.",
    });
  });
});
