import assert from "node:assert/strict";
import type { AnswerSink } from "../../src/openai/answer-sink.js";
import type { CalledTool } from "../../src/openai/client-tools.js";
import { Turn } from "../../src/openai/turn.js";

/** Writes down what it is told. */
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

describe("a prompt turn told in answers", () => {
  const never = new AbortController().signal;
  let turn: Turn;
  let end: (result: Readonly<Record<string, unknown>>) => void;
  let notes: Notes;
  beforeEach(() => {
    turn = new Turn();
    notes = new Notes();
    turn.begin(() => new Promise((resolve) => (end = resolve)));
  });

  function say(text: string): void {
    turn.update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  }

  it("keeps what comes before anybody listens", async () => {
    say("early ");
    const answer = turn.next(notes, true);
    say("late");
    end({ stopReason: "end_turn" });
    await answer;
    assert.deepEqual(notes.lines, ["says early ", "says late"]);
  });

  it("keeps texts apart that stand on both sides of a tool call, and names the call among the thoughts", async () => {
    const answer = turn.next(notes, true);
    turn.update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "Let me look." } });
    say("I look.");
    turn.update({ sessionUpdate: "tool_call", toolCallId: "1", title: "Read a.txt" });
    say("Found");
    say(" it.");
    end({ stopReason: "end_turn", usage: { inputTokens: 3, outputTokens: 4 } });
    assert.deepEqual(await answer, {
      finishReason: "stop",
      usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
    });
    assert.deepEqual(notes.lines, [
      "thinks Let me look.",
      "says I look.",
      "thinks [Read a.txt]",
      "says \n\nFound",
      "says  it.",
    ]);
  });

  it("tells calls that come together in one answer, and goes on with their results", async () => {
    const results = ["one", "two"].map((name) => turn.callTool(name, { n: name }, never));
    assert.deepEqual(await turn.next(notes, true), { finishReason: "tool_calls" });
    assert.deepEqual(
      notes.calls.map(({ name, args }) => [name, args]),
      [
        ["one", { n: "one" }],
        ["two", { n: "two" }],
      ],
    );
    const [first, second] = notes.calls.map(({ id }) => id);
    assert.deepEqual([turn.isWaitingFor(first ?? ""), turn.isWaitingFor("another")], [true, false]);
    turn.answerCalls(new Map([[second ?? "", "2"]]));
    assert.deepEqual(await Promise.all(results), ["The client gave no result for this call.", "2"]);
  });

  it("tells one call after the other where the client takes no two at once", async () => {
    const results = ["one", "two"].map((name) => turn.callTool(name, {}, never));
    await turn.next(notes, false);
    assert.deepEqual(
      notes.calls.map(({ name }) => name),
      ["one"],
    );
    turn.answerCalls(new Map(notes.calls.map(({ id }) => [id, "1"])));
    await turn.next(notes, false);
    assert.deepEqual(
      notes.calls.map(({ name }) => name),
      ["one", "two"],
    );
    turn.answerCalls(new Map(notes.calls.map(({ id }) => [id, "2"])));
    assert.deepEqual(await Promise.all(results), ["1", "2"]);
  });

  it("forgets a call that the agent gives up", async () => {
    const givenUp = new AbortController();
    const call = turn.callTool("one", {}, givenUp.signal);
    givenUp.abort();
    await assert.rejects(call, /given up/);
    const answer = turn.next(notes, true);
    end({ stopReason: "end_turn" });
    assert.deepEqual([await answer, notes.calls], [{ finishReason: "stop" }, []]);
  });
});
