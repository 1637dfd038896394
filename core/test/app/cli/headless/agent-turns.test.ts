import assert from "node:assert/strict";
import { AgentTurns } from "../../../../src/app/cli/headless/chat-events.js";

describe("AgentTurns", () => {
  const text = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "a" } };
  const thought = { ...text, sessionUpdate: "agent_thought_chunk" };
  const call = (toolCallId: string, status?: string): object => ({
    sessionUpdate: "tool_call",
    toolCallId,
    title: "t",
    status,
  });
  const ended = (toolCallId: string, status = "completed"): object => ({
    sessionUpdate: "tool_call_update",
    toolCallId,
    status,
  });

  function counts(...updates: readonly object[]): readonly number[] {
    const turns = new AgentTurns();
    return updates.map((update) => turns.add(update as Parameters<AgentTurns["add"]>[0]));
  }

  it("counts a reply with its thoughts, text and tool calls as one turn", () => {
    assert.deepEqual(counts(thought, text, call("1"), call("2"), ended("1"), ended("2"), text), [1, 1, 1, 1, 1, 1, 2]);
  });

  it("starts a turn only after all calls have ended, including the calls of a sub-agent", () => {
    const updates = [call("task"), call("inner"), ended("inner"), text, call("inner 2"), ended("inner 2", "failed")];
    assert.deepEqual(counts(...updates, ended("task"), text), [1, 1, 1, 1, 1, 1, 1, 2]);
  });

  it("counts a call that is reported only when it has ended", () => {
    assert.deepEqual(counts(call("1", "completed"), ended("1"), call("2", "failed"), text), [1, 1, 2, 3]);
  });

  it("doesn't count updates that aren't part of a reply", () => {
    const usage = { sessionUpdate: "usage_update", used: 1, size: 2 };
    assert.deepEqual(counts(usage, ended("unknown"), { sessionUpdate: "available_commands_update" }), [0, 0, 0]);
  });
});
