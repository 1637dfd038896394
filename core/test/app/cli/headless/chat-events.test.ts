import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { ChatEvents } from "../../../../src/app/cli/headless/chat-events.js";
import { chatEventsSchema } from "../../../../src/app/cli/headless/chat-events-schema.js";
import { Outcome, Request } from "../../../../src/base/rpc/message.js";
import { RpcError } from "../../../../src/base/rpc/rpc-error.js";
import { ask } from "../../../../src/base/rpc/peer.js";
import { ScriptedAgent } from "../../../../testing/scripted-agent.js";
import { ChatFixture, type FixtureOptions, TurnAgent } from "../terminal-chat-fixture.js";

const file = new URL("../../../../../chat-events.schema.json", import.meta.url);

interface Printed {
  readonly exitCode: number;
  /** Everything that a program reads, checked against the schema. */
  readonly events: readonly Record<string, unknown>[];
  readonly stdout: string;
  readonly stderr: string;
}

async function printed(agent: TurnAgent | ScriptedAgent, options: FixtureOptions = {}): Promise<Printed> {
  const schema = z.fromJSONSchema(JSON.parse(readFileSync(file, "utf8")) as Parameters<typeof z.fromJSONSchema>[0]);
  const events: Record<string, unknown>[] = [];
  const print = (event: object): void => {
    const line: unknown = JSON.parse(JSON.stringify(event));
    events.push(schema.parse(line) as Record<string, unknown>);
  };
  const listener = new ChatEvents(print);
  const chat = new ChatFixture(agent, { ...options, listener, isMuted: true });
  const code = await chat.run("go");
  const result = listener.result(code);
  print(result);
  return { exitCode: result.exitCode, events, stdout: chat.output.text, stderr: chat.errors.text };
}

const permission = (rawInput: object, meta: object = {}): Request =>
  Request.of("session/request_permission", {
    sessionId: "s",
    toolCall: { toolCallId: "1", title: "Run rm", rawInput },
    options: [
      { optionId: "y", name: "Yes", kind: "allow_once" },
      { optionId: "n", name: "No", kind: "reject_once" },
    ],
    _meta: meta,
  });

function asking(request: Request, stopReason = "end_turn"): TurnAgent {
  return new TurnAgent((turn) => void ask(turn.client, request).then(() => turn.end(stopReason)));
}

describe("ChatEvents", () => {
  it("has the schema in chat-events.schema.json (UPDATE_GOLDEN=1 rewrites it)", () => {
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, `${JSON.stringify(chatEventsSchema(), null, 2)}\n`);
    assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), chatEventsSchema());
  });

  it("prints the session, unmodified updates, the turn's end and a result, and nothing else", async () => {
    const call = { sessionUpdate: "tool_call", toolCallId: "1", title: "Look", kind: "read", _meta: { mine: 1 } };
    const agent = new TurnAgent((turn) => {
      turn.say("Hello");
      turn.update(call);
      turn.say("Done.");
      turn.update({ sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount: 0.5, currency: "USD" } });
      turn.reply(Outcome.of({ stopReason: "end_turn", usage: { totalTokens: 3, inputTokens: 2, outputTokens: 1 } }));
    });
    const { exitCode, events, stdout, stderr } = await printed(agent);
    const usage = { totalTokens: 3, inputTokens: 2, outputTokens: 1 };
    assert.deepEqual([exitCode, stdout, stderr], [0, "", ""]);
    assert.deepEqual(events[0], {
      type: "session",
      sessionId: "s",
      cwd: "/project",
      agent: { name: "turn-agent", version: "0" },
    });
    assert.deepEqual(events[2], { type: "update", sessionId: "s", update: call });
    assert.deepEqual(events.slice(-2), [
      { type: "turn_end", stopReason: "end_turn", usage },
      {
        type: "result",
        status: "done",
        exitCode: 0,
        sessionId: "s",
        answer: "Hello\nDone.",
        stopReason: "end_turn",
        usage,
        cost: { amount: 0.5, currency: "USD" },
        refused: [],
      },
    ]);
  });

  it("lists a refused request and exits with 4", async () => {
    const { exitCode, events } = await printed(asking(permission({ command: "rm" })));
    const asked = events.find(({ type }) => type === "permission");
    assert.deepEqual([asked?.["answer"], asked?.["optionId"], asked?.["by"]], ["refused", "n", "chat"]);
    assert.deepEqual([exitCode, events.at(-1)?.["refused"]], [4, [{ title: "Run rm", by: "chat" }]]);
  });

  it("reports an allowed request and exits with 0", async () => {
    const { exitCode, events } = await printed(asking(permission({})), { permission: "allow" });
    assert.deepEqual([exitCode, events.at(-1)?.["refused"]], [0, []]);
    assert.equal(events.find(({ type }) => type === "permission")?.["answer"], "allowed");
  });

  it("lists a request that a rule denied, with the rule's place", () => {
    const events = new ChatEvents();
    const record = { time: "", agent: "a", session: "s", subject: "command rm", rule: "guard.jsonc:3" };
    events.ruled({ ...record, answer: "deny" });
    events.ruled({ ...record, answer: "allow" });
    events.ruled({ ...record, answer: "ask" });
    const { exitCode, ...result } = events.result(0) as { exitCode: number; refused?: unknown };
    assert.deepEqual([exitCode, result.refused], [4, [{ title: "command rm", by: "rule", rule: "guard.jsonc:3" }]]);
  });

  it("exits with 5 and names the budget that ended the turn", () => {
    const events = new ChatEvents();
    const budget = {
      scope: "session",
      figure: "toolCalls",
      limit: 3,
      used: "3 tool calls",
      place: "--budget",
    } as const;
    events.overBudget(budget);
    const { exitCode, status, budget: reported } = events.result(130) as { exitCode: number; [name: string]: unknown };
    assert.deepEqual([exitCode, status, reported], [5, "over_budget", budget]);
  });

  it("stops the agent at its first turn after the last allowed one", () => {
    let stops = 0;
    const events = new ChatEvents(undefined, 1, () => stops++);
    const ended = { sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed" };
    events.opened("s", "/project", {});
    events.update({ sessionUpdate: "tool_call", toolCallId: "1", title: "Look" });
    events.update(ended);
    assert.equal(stops, 0);
    for (const text of ["More", " text"]) {
      events.update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
    }
    assert.equal(stops, 1);
    const { exitCode, budget } = events.result(130) as { exitCode: number; budget?: unknown };
    const expected = { scope: "session", figure: "turns", limit: 1, place: "--max-turns", used: "1 turn" };
    assert.deepEqual([exitCode, budget], [5, expected]);
  });

  it("reports an early stop and an agent's error, with the codes of the help", async () => {
    const stopped = await printed(new TurnAgent((turn) => turn.end("max_tokens")));
    assert.deepEqual([stopped.exitCode, stopped.events.at(-1)?.["status"]], [2, "stopped_early"]);
    const failing = new TurnAgent((turn) => turn.reply(Outcome.error(RpcError.internal("out of memory"))));
    const { exitCode, events, stderr } = await printed(failing);
    const { status, error } = events.at(-1) ?? {};
    assert.deepEqual([exitCode, status, error, stderr], [1, "failed", "out of memory", "error: out of memory\n"]);
  });

  it("cancels the turn at the deadline", async () => {
    const deadline = new AbortController();
    const agent = new ScriptedAgent();
    const chat = printed(agent, { deadline: deadline.signal, cancelGraceMs: 0 });
    deadline.abort();
    const { exitCode, events } = await chat;
    assert.deepEqual([exitCode, events.at(-1)?.["status"]], [130, "cancelled"]);
  });

  it("is cancelled, not done, when the agent ends a cancelled turn as if by itself", async () => {
    const deadline = new AbortController();
    const agent = new TurnAgent((turn) => {
      setImmediate(() => {
        deadline.abort();
        turn.end("end_turn");
      });
    });
    const { exitCode, events } = await printed(agent, { deadline: deadline.signal, cancelGraceMs: 10_000 });
    assert.deepEqual([exitCode, events.at(-1)?.["status"]], [130, "cancelled"]);
  });
});
