import assert from "node:assert/strict";
import { toMessages, toTools } from "../../../src/features/language-model/request-parts.js";
import { newClasses, oldClasses, parts } from "./editor-classes.js";

const { TextPart, ToolCallPart, ToolResultPart, PromptTsxPart, DataPart, ThinkingPart } = parts;

/** The content of one message of the user on the wire, and the shapes that were left out. */
function content(...pieces: unknown[]) {
  const skipped: string[] = [];
  const [message] = toMessages([{ role: 1, content: pieces }], newClasses, (shape) => skipped.push(shape));
  return { content: message?.content, skipped };
}

describe("a message of the editor", () => {
  it("keeps its role and name, also the system's, which has no official number", () => {
    const messages = [1, 2, 3, 7].map((role) => ({ role, content: [], name: "ann" }));
    assert.deepEqual(
      toMessages(messages, newClasses, () => undefined).map(({ role, name }) => `${role} ${name ?? ""}`),
      ["user ann", "assistant ann", "system ann", "user ann"],
    );
  });

  it("keeps parts of every kind, in order", () => {
    const { content: sent, skipped } = content(
      "plain",
      new TextPart("text"),
      new ThinkingPart(["first ", "then"]),
      new ToolCallPart("c1", "read_file", { path: "a" }),
      new DataPart(new Uint8Array([1, 2, 255]), "image/png"),
    );
    assert.deepEqual(skipped, []);
    assert.deepEqual(sent, [
      { type: "text", value: "plain" },
      { type: "text", value: "text" },
      { type: "thinking", value: "first then" },
      { type: "tool_call", toolCallId: "c1", toolName: "read_file", parameters: { path: "a" } },
      { type: "data", mimeType: "image/png", data: "AQL/" },
    ]);
  });

  it("sends the bytes of a view, not of the whole buffer behind it", () => {
    const view = new Uint8Array([9, 9, 1, 2, 9]).subarray(2, 4);
    assert.deepEqual(content(new DataPart(view, "image/png")).content, [
      { type: "data", mimeType: "image/png", data: "AQI=" },
    ]);
  });

  it("leaves out a part that nobody knows, and tells its shape alone", () => {
    const { content: sent, skipped } = content(new TextPart("kept"), { secret: "value", other: 1 }, 7, null);
    assert.deepEqual(sent, [{ type: "text", value: "kept" }]);
    assert.deepEqual(skipped, ["{other, secret}", "number", "object"]);
  });

  it("is understood where the editor has no later parts", () => {
    const [message] = toMessages([{ role: 1, content: [new TextPart("x")] }], oldClasses, () => undefined);
    assert.deepEqual(message?.content, [{ type: "text", value: "x" }]);
  });

  it("is free of lone surrogates, also in the input of calls and in its keys", () => {
    const { content: sent } = content(
      new TextPart("a\ud800b \ud83d\ude00"),
      new ToolCallPart("c1", "t", { "k\udc00": ["\ud83d", { deep: "x\udfff" }] }),
    );
    assert.deepEqual(sent, [
      { type: "text", value: "a\ufffdb \ud83d\ude00" },
      {
        type: "tool_call",
        toolCallId: "c1",
        toolName: "t",
        parameters: { "k\ufffd": ["\ufffd", { deep: "x\ufffd" }] },
      },
    ]);
  });
});

describe("the result of a tool", () => {
  const resultOf = (...pieces: unknown[]): unknown => {
    const part = content(new ToolResultPart("c1", pieces)).content?.[0];
    return part?.type === "tool_result" ? part.result : part;
  };

  it("is its text where there is nothing else", () => {
    assert.equal(resultOf(new TextPart("42")), "42");
  });

  it("is the text inside what the editor marshals, whatever number it gives the class", () => {
    assert.equal(resultOf({ $mid: 21, value: "42" }), "42");
  });

  it("keeps several parts of different kinds", () => {
    assert.deepEqual(resultOf(new TextPart("a"), new DataPart(new Uint8Array([1]), "image/png"), "b"), [
      { type: "text", value: "a" },
      { type: "data", mimeType: "image/png", data: "AQ==" },
      { type: "text", value: "b" },
    ]);
  });

  it("is empty, not missing, where the tool said nothing", () => {
    assert.deepEqual(resultOf(), []);
  });

  it("has the words of a prompt-tsx tree, with its line breaks", () => {
    const text = (value: string, lineBreakBefore?: boolean) => ({ type: 2, text: value, lineBreakBefore });
    const tree = { node: { type: 1, ctor: 1, children: [text("one"), { type: 1, children: [text("two", true)] }] } };
    assert.equal(resultOf(new PromptTsxPart(tree)), "one\ntwo");
  });

  it("keeps what a tool says in a form of its own as JSON", () => {
    assert.equal(resultOf({ rows: [1, 2] }), '{"rows":[1,2]}');
  });

  it("tells that it is an error where the editor does", () => {
    const part = Object.assign(new ToolResultPart("c1", [new TextPart("no")]), { isError: true });
    assert.deepEqual(content(part).content, [{ type: "tool_result", toolCallId: "c1", result: "no", isError: true }]);
  });
});

describe("the tools of the editor", () => {
  it("are sent with the schemas that they have, or without", () => {
    const tools = [
      { name: "a", description: "A", inputSchema: { type: "object" } },
      { name: "b", description: "B", inputSchema: null },
      { name: "c" },
    ];
    assert.deepEqual(toTools(tools), tools);
  });
});
