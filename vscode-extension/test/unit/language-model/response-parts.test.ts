import assert from "node:assert/strict";
import type { LmPart } from "@symposium-dev/core";
import { ResponseParts, type ResponsePartsOptions } from "../../../src/features/language-model/response-parts.js";
import { newClasses, oldClasses, parts } from "./editor-classes.js";

const { TextPart, ToolCallPart, DataPart, ThinkingPart } = parts;

/** Returns the parts and the usage that the editor receives for an answer. */
function shown(answer: readonly LmPart[], options: Partial<ResponsePartsOptions> = {}, empty = "(empty)") {
  const reported: object[] = [];
  const response = new ResponseParts({
    classes: newClasses,
    report: (part) => reported.push(part),
    showsThinking: true,
    readsUsage: false,
    ...options,
  });
  for (const part of answer) response.add(part);
  response.end(empty);
  return { reported, usage: response.usage };
}

const usage: LmPart = { type: "usage", inputTokens: 900, outputTokens: 30, contextUsed: 1_200, contextSize: 200_000 };

describe("an answer on its way to the editor", () => {
  it("keeps texts, calls and data", () => {
    const call: LmPart = { type: "tool_call", toolCallId: "c1", toolName: "read_file", parameters: { path: "a" } };
    const { reported } = shown([
      { type: "text", value: "Look:" },
      call,
      { type: "data", mimeType: "image/png", data: "AQI=" },
    ]);
    assert.deepEqual(reported, [
      new TextPart("Look:"),
      new ToolCallPart("c1", "read_file", { path: "a" }),
      new DataPart(Buffer.from([1, 2]), "image/png"),
    ]);
  });

  it("marks where the thinking ends", () => {
    const { reported } = shown([
      { type: "thinking", value: "Hm" },
      { type: "text", value: "Yes" },
    ]);
    assert.deepEqual(reported, [
      new ThinkingPart("Hm"),
      new ThinkingPart("", "", { vscode_reasoning_done: true }),
      new TextPart("Yes"),
    ]);
  });

  it("has no thinking where the user wants none, or the editor knows none", () => {
    const answer: LmPart[] = [
      { type: "thinking", value: "Hm" },
      { type: "text", value: "Yes" },
    ];
    assert.deepEqual(shown(answer, { showsThinking: false }).reported, [new TextPart("Yes")]);
    assert.deepEqual(shown(answer, { classes: oldClasses }).reported, [new TextPart("Yes")]);
  });

  it("says why it is empty, also after thinking alone", () => {
    assert.deepEqual(shown([]).reported, [new TextPart("(empty)")]);
    assert.deepEqual(shown([{ type: "thinking", value: "Hm" }]).reported.at(-1), new TextPart("(empty)"));
  });

  it("puts the halves of a character together that stand in two chunks", () => {
    const { reported } = shown([
      { type: "text", value: "a\ud83d" },
      { type: "text", value: "\ude00b" },
      { type: "text", value: "c\ud83d" },
    ]);
    assert.deepEqual(reported, [
      new TextPart("a"),
      new TextPart("\ud83d\ude00b"),
      new TextPart("c"),
      new TextPart("\ufffd"),
    ]);
  });

  it("gives a call an object as its input, whatever came", () => {
    const call = (parameters: unknown): LmPart => ({ type: "tool_call", toolCallId: "c", toolName: "t", parameters });
    assert.deepEqual(shown([call(null), call("text"), call({ a: "\udc00" })]).reported, [
      new ToolCallPart("c", "t", {}),
      new ToolCallPart("c", "t", {}),
      new ToolCallPart("c", "t", { a: "\ufffd" }),
    ]);
  });

  it("tells its usage in a data part to those who read it there, and to nobody else", () => {
    const answer: LmPart[] = [{ type: "text", value: "Yes" }, usage];
    const { reported, usage: kept } = shown(answer, { readsUsage: true });
    const data = reported[1];
    assert.ok(data instanceof DataPart);
    assert.equal(data.mimeType, "usage");
    assert.deepEqual(JSON.parse(Buffer.from(data.data).toString()), {
      prompt_tokens: 1_200,
      completion_tokens: 30,
      total_tokens: 1_230,
      prompt_tokens_details: { cached_tokens: 0 },
    });
    assert.equal(kept?.contextSize, 200_000);
    assert.deepEqual(shown(answer).reported, [new TextPart("Yes")]);
  });
});
