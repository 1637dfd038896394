import assert from "node:assert/strict";
import fc from "fast-check";
import { wellFormed } from "../../../src/models/answer-sink.js";
import { toolResultOf } from "../../../src/models/vscode/tool-result.js";

const text = (value: string): object => ({ type: "text", text: value });

describe("the result of an editor's tool", () => {
  const forms: readonly (readonly [name: string, given: unknown, content: readonly object[]])[] = [
    ["a text", "42", [text("42")]],
    ["nothing", undefined, [text("(no output)")]],
    ["an empty list", [], [text("(no output)")]],
    [
      "parts as the wire has them",
      [
        { type: "text", value: "a" },
        { type: "text", value: "b" },
      ],
      [text("a\nb")],
    ],
    ["marshalled parts", [{ $mid: 21, value: "42" }], [text("42")]],
    ["the text of marshalled parts", '[{"$mid":21,"value":"42"}]', [text("42")]],
    ["a text that only looks like that", '[{"$mid', [text('[{"$mid')]],
    ["a whole result", { content: [{ value: "42" }] }, [text("42")]],
    ["content of MCP", [{ type: "text", text: "42" }], [text("42")]],
    ["an element of a prompt", { value: { node: { type: 1, children: [{ type: 2, text: "x" }] } } }, [text("x")]],
    ["an image", [{ mimeType: "image/png", data: "aGk=" }], [{ type: "image", mimeType: "image/png", data: "aGk=" }]],
    [
      "other data",
      [{ mimeType: "application/pdf", data: "aGk=" }],
      [text("[data of type application/pdf, 4 characters in base64]")],
    ],
    ["a text as data", [{ mimeType: "text/plain; charset=utf-8", data: "w6TigqzwnZ2g" }], [text("ä€𝝠")]],
    ["JSON as data", [{ mimeType: "application/ld+json", data: "eyJhIjoxfQ==" }], [text('{"a":1}')]],
    [
      "a text that is no base64",
      [{ mimeType: "text/plain", data: "ä" }],
      [text("[data of type text/plain, 1 characters in base64]")],
    ],
    ["an editor's own mark", [{ mimeType: "stateful_marker", data: "aGk=" }], [text("(no output)")]],
    ["a number", 42, [text("42")]],
    ["any object", { answer: 42 }, [text('{"answer":42}')]],
    ["half of a character", "a\ud83d", [text("a\ufffd")]],
  ];
  for (const [name, given, content] of forms) {
    it(`can be ${name}`, () => assert.deepEqual(toolResultOf(given, false), { content }));
  }

  it("says that the tool failed", () => {
    assert.deepEqual(toolResultOf("no", true), { content: [text("no")], isError: true });
  });

  it("is always something that an agent can read, whatever the editor gives", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (given) => {
        const { content } = toolResultOf(given, false);
        assert.ok(content.length > 0);
        for (const part of content) assert.ok(part.type === "image" || typeof part["text"] === "string");
      }),
    );
  });

  it("never has halves of characters", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0xd7fe, max: 0xe001 })), (codes) => {
        const made = wellFormed(String.fromCharCode(...codes));
        assert.doesNotThrow(() => encodeURIComponent(made));
        assert.equal(made.length, codes.length);
      }),
    );
  });
});
