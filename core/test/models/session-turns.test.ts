import assert from "node:assert/strict";
import { mock } from "node:test";
import type { ToolResult } from "../../src/base/mcp/tool-server.js";
import type { AnswerSink, CalledTool } from "../../src/models/answer-sink.js";
import { type CallOutcome, SessionTurns } from "../../src/models/session-turns.js";

/** Writes down what it gets. */
class Notes implements AnswerSink {
  readonly lines: string[] = [];
  readonly calls: CalledTool[] = [];

  content(text: string): void {
    this.lines.push(`says ${text}`);
  }

  reasoning(text: string): void {
    this.lines.push(`thinks ${text.trim()}`);
  }

  toolCall(call: CalledTool): void {
    this.calls.push(call);
  }
}

function result(text: string): ToolResult {
  return { content: [{ type: "text", text }] };
}

describe("the prompt turns of a session, cut into answers", () => {
  let turns: SessionTurns;
  let end: (result: Readonly<Record<string, unknown>>) => void;
  let fail: (failure: Error) => void;
  let notes: Notes;
  let cancelled: number;
  beforeEach(() => {
    cancelled = 0;
    turns = new SessionTurns({
      key: "key",
      cancel: () => {
        cancelled++;
      },
      ownTool: ({ title }) => (typeof title === "string" && title.startsWith("own_") ? title.slice(4) : undefined),
    });
    notes = new Notes();
  });

  afterEach(() => mock.timers.reset());

  function prompt(hasParallelCalls = true): ReturnType<SessionTurns["prompt"]> {
    return turns.prompt(() => new Promise((...settle) => ([end, fail] = settle)), notes, hasParallelCalls);
  }

  function say(text: string): void {
    turns.update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  /** Returns the ids of the last answer's calls, in order. */
  function callIds(): readonly string[] {
    return notes.calls.map(({ id }) => id);
  }

  it("emits what the agent said before anybody asked", async () => {
    say("early ");
    const answer = prompt();
    say("late");
    end({ stopReason: "end_turn" });
    await answer;
    assert.deepEqual(notes.lines, ["says early ", "says late"]);
  });

  it("emits what the agent says in other forms than text: embedded texts as they are, links as links, and names the rest", async () => {
    const answer = prompt();
    for (const content of [
      { type: "resource", resource: { uri: "file:///a", text: "Embedded." } },
      { type: "resource_link", uri: "file:///b", name: "b" },
      { type: "audio", mimeType: "audio/wav", data: "aGk=" },
    ]) {
      turns.update({ sessionUpdate: "agent_message_chunk", content });
    }
    end({});
    await answer;
    assert.deepEqual(notes.lines, ["says Embedded.", "says [b](file:///b)", "says [audio]"]);
  });

  it("keeps texts apart that stand on both sides of a tool call, and names the call among the thoughts", async () => {
    const answer = prompt();
    turns.update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "Let me look." } });
    say("I look.");
    turns.update({ sessionUpdate: "tool_call", toolCallId: "1", title: "Read a.txt" });
    say("Found");
    say(" it.");
    end({ stopReason: "end_turn" });
    assert.deepEqual(await answer, { kind: "end", result: { stopReason: "end_turn" } });
    assert.deepEqual(notes.lines, [
      "thinks Let me look.",
      "says I look.",
      "thinks [Read a.txt]",
      "says \n\nFound",
      "says  it.",
    ]);
  });

  it("names no call of the client's own tools, which the client shows itself", async () => {
    const answer = prompt();
    turns.update({ sessionUpdate: "tool_call", toolCallId: "1", title: "own_one" });
    end({});
    await answer;
    assert.deepEqual(notes.lines, []);
  });

  it("emits calls that come together in one answer, and goes on with their results", async () => {
    const answer = prompt();
    const results = ["one", "two"].map((name) => turns.call(name, { n: name }));
    assert.deepEqual(await answer, { kind: "calls" });
    assert.deepEqual(
      notes.calls.map(({ name, args }) => [name, args]),
      [
        ["one", { n: "one" }],
        ["two", { n: "two" }],
      ],
    );
    const [first = "", second = ""] = callIds();
    assert.match(first, /^call_key[0-9a-f]{16}$/);
    assert.deepEqual(
      [turns.isWaitingFor(first), turns.isWaitingFor("another"), turns.phase],
      [true, false, "awaitingToolResult"],
    );
    const next = turns.answerCalls(new Map([[second, result("2")]]), notes, true);
    assert.deepEqual(await Promise.all(results), [{ kind: "missing" }, { kind: "result", result: result("2") }]);
    end({});
    await next;
    assert.equal(turns.phase, "idle");
  });

  it("waits for all calls that the agent has announced", async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    const answer = prompt();
    for (const [toolCallId, title] of [
      ["1", "own_one"],
      ["2", "own_two"],
    ]) {
      turns.update({ sessionUpdate: "tool_call", toolCallId, title, status: "pending" });
    }
    void turns.call("one", {});
    // Longer than an agent that announces nothing would be waited for.
    mock.timers.tick(200);
    const early = notes.calls.length;
    void turns.call("two", {});
    mock.timers.tick(200);
    await answer;
    const names = notes.calls.map(({ name }) => name);
    assert.deepEqual([early, names], [0, ["one", "two"]]);
  });

  it("emits one call after the other where the client takes no two at once", async () => {
    const answer = prompt(false);
    const results = ["one", "two"].map((name) => turns.call(name, {}));
    await answer;
    assert.deepEqual(
      notes.calls.map(({ name }) => name),
      ["one"],
    );
    await turns.answerCalls(new Map(callIds().map((id) => [id, result("1")])), notes, false);
    assert.deepEqual(
      notes.calls.map(({ name }) => name),
      ["one", "two"],
    );
    const last = turns.answerCalls(new Map(callIds().map((id) => [id, result("2")])), notes, false);
    const settled: CallOutcome[] = await Promise.all(results);
    assert.deepEqual(settled, [
      { kind: "result", result: result("1") },
      { kind: "result", result: result("2") },
    ]);
    end({});
    await last;
  });

  it("keeps what the agent says while the client works on a call, and emits it before the rest", async () => {
    const answer = prompt();
    void turns.call("one", {});
    await answer;
    say("Meanwhile.");
    const next = turns.answerCalls(new Map(callIds().map((id) => [id, result("1")])), notes, true);
    say(" Done.");
    end({});
    await next;
    assert.deepEqual(notes.lines, ["says Meanwhile.", "says  Done."]);
  });

  it("forgets a call that the agent gives up", async () => {
    const answer = prompt();
    const givenUp = new AbortController();
    const call = turns.call("one", {}, givenUp.signal);
    givenUp.abort();
    assert.deepEqual(await call, { kind: "cancelled" });
    end({});
    assert.deepEqual([await answer, notes.calls], [{ kind: "end", result: {} }, []]);
  });

  it("ends at once when it is given up, and says nothing of what still comes", async () => {
    const answer = prompt();
    say("Begun.");
    const call = new Promise<CallOutcome>((resolve) => turns.ask("permission", { name: "ask", args: {} }, resolve));
    turns.cancel();
    say("Too late.");
    assert.deepEqual(
      [await answer, await call, cancelled, turns.phase],
      [{ kind: "cancelled" }, { kind: "cancelled" }, 1, "ending"],
    );
    end({ stopReason: "cancelled" });
    await turns.ended;
    assert.deepEqual([turns.phase, notes.lines], ["idle", ["says Begun."]]);
  });

  it("fails with what the agent fails with, also when nobody listened then", async () => {
    const answer = prompt();
    fail(new Error("out of order"));
    await assert.rejects(answer, /out of order/);
    const second = prompt();
    void turns.call("one", {});
    await second;
    fail(new Error("fell over"));
    await turns.ended;
    await assert.rejects(
      turns.answerCalls(new Map(callIds().map((id) => [id, result("1")])), notes, true),
      /fell over/,
    );
    assert.equal(turns.phase, "idle");
  });
});
