import assert from "node:assert/strict";
import { isToolCallUpdate, updatedToolCall } from "../../../src/base/acp/tool-call.js";

describe("the updates of a tool call", () => {
  it("leave what they say nothing about as it was", () => {
    const announced = { title: "Run", kind: "execute", rawInput: {}, _meta: { claudeCode: { toolName: "Bash" } } };
    const updates = [
      { rawInput: { command: "ls" }, locations: [{ path: "/w/a" }] },
      { title: null, rawInput: {}, locations: [], content: undefined, _meta: { terminal_exit: { exit_code: 0 } } },
      { status: "completed" },
    ];
    assert.deepEqual([announced, ...updates].reduce<Readonly<Record<string, unknown>>>(updatedToolCall, {}), {
      title: "Run",
      kind: "execute",
      status: "completed",
      rawInput: { command: "ls" },
      locations: [{ path: "/w/a" }],
      _meta: { claudeCode: { toolName: "Bash" }, terminal_exit: { exit_code: 0 } },
    });
  });

  it("are of two kinds", () => {
    const kinds = ["tool_call", "tool_call_update", "plan"];
    assert.deepEqual(
      kinds.filter((sessionUpdate) => isToolCallUpdate({ sessionUpdate })),
      ["tool_call", "tool_call_update"],
    );
  });
});
