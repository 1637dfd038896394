import assert from "node:assert/strict";
import type { Members } from "../../../../src/base/rpc/json.js";
import { Json } from "../../../../src/base/rpc/json.js";
import { TelemetryStage } from "./telemetry-stage.js";

const edit: Members = {
  toolCallId: "e",
  title: "Edit /secret/folder/a.ts",
  kind: "edit",
  rawInput: { path: "/secret" },
};
const run: Members = { toolCallId: "r", title: "rm -rf /secret", kind: "execute", _meta: { toolName: "shell" } };
const usage = { inputTokens: 120, outputTokens: 30, cachedReadTokens: 7 };
const parentId = "00f067aa0ba902b7";
const traceparent = `00-4bf92f3577b34da6a3ce929d0e0e4736-${parentId}-01`;

/** A turn with an edit, a refused command, an unfinished call, tokens and a cost. */
async function work(stage: TelemetryStage): Promise<void> {
  stage.update("agent_message_chunk", { content: { type: "text", text: "the answer with hunter2" } });
  stage.update("tool_call", { ...edit, status: "pending" });
  await stage.ask(edit, "allow_once");
  stage.update("tool_call_update", { toolCallId: "e", status: "completed" });
  await stage.ask(run, "reject_once");
  stage.update("tool_call", { toolCallId: "u", title: "Look", kind: "read" });
  stage.update("usage_update", { used: 1, size: 2, cost: { amount: 0.25, currency: "USD" } });
}

describe("telemetry", () => {
  it("has a span for the session, each turn, tool call and permission, and metrics with the figures of `usage`", async () => {
    await using stage = await TelemetryStage.open();
    await stage.prompt(() => work(stage), { usage });
    await stage.prompt();
    await stage.end();
    const { receiver } = stage;
    assert.deepEqual(receiver.tree(), [
      "invoke_agent mock > execute_tool edit",
      "invoke_agent mock > execute_tool read",
      "invoke_agent mock > execute_tool shell",
      "invoke_agent mock > request_permission",
      "invoke_agent mock > request_permission",
      "session > invoke_agent mock",
      "session > invoke_agent mock",
      "symposium",
      "symposium > session",
    ]);
    const metrics = {
      turns: receiver.sumOf("symposium.agent.turns"),
      toolCalls: receiver.sumOf("symposium.agent.tool_calls"),
      inputTokens: receiver.sumOf("gen_ai.client.token.usage", { "gen_ai.token.type": "input" }),
      outputTokens: receiver.sumOf("gen_ai.client.token.usage", { "gen_ai.token.type": "output" }),
      cachedTokens: receiver.sumOf("gen_ai.client.token.usage", { "gen_ai.token.type": "cached" }),
      microDollars: receiver.sumOf("symposium.agent.cost") * 1e6,
    };
    const { turns, toolCalls, inputTokens, outputTokens, cachedTokens, microDollars } = stage.usage;
    assert.deepEqual(metrics, { turns, toolCalls, inputTokens, outputTokens, cachedTokens, microDollars });
    assert.deepEqual([turns, toolCalls, microDollars], [2, 3, 250_000]);
    assert.equal(receiver.sumOf("symposium.agent.refusals", { "symposium.refusal.source": "user" }), 1);
    assert.deepEqual(stage.logged, []);
  });

  it("gives a turn its figures and its stop reason, and a refused call its reason, in OpenTelemetry's terms", async () => {
    await using stage = await TelemetryStage.open();
    await stage.prompt(() => work(stage), { usage });
    await stage.end();
    const named = (name: string): Members => stage.receiver.spans.find((span) => span.name === name)?.attributes ?? {};
    assert.deepEqual(named("invoke_agent mock"), {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": "mock",
      "gen_ai.agent.name": "mock",
      "gen_ai.conversation.id": "one",
      "gen_ai.response.finish_reasons": ["end_turn"],
      "gen_ai.usage.input_tokens": 120,
      "gen_ai.usage.output_tokens": 30,
      "symposium.usage.cached_tokens": 7,
      "symposium.usage.tool_calls": 3,
      "symposium.usage.cost": 0.25,
    });
    assert.deepEqual(named("execute_tool shell"), {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.agent.name": "mock",
      "gen_ai.conversation.id": "one",
      "gen_ai.tool.name": "shell",
      "gen_ai.tool.call.id": "r",
      "error.type": "refused",
    });
    const outcomes = stage.receiver.spans.map(({ attributes }) => attributes["symposium.permission.outcome"]);
    assert.deepEqual(outcomes.filter((outcome) => outcome !== undefined).sort(), ["allow_once", "reject_once"]);
  });

  it("contains no prompts, answers, titles, paths or inputs", async () => {
    await using stage = await TelemetryStage.open();
    await stage.prompt(() => work(stage), { usage });
    await stage.end();
    assert.match(stage.receiver.text, /invoke_agent/);
    assert.doesNotMatch(stage.receiver.text, /secret|prompt with|answer with|hunter2|Edit |Look/);
  });

  it("contains prompts, answers and inputs if that is switched on, without known secrets", async () => {
    await using stage = await TelemetryStage.open({ hasContent: true });
    await stage.prompt(() => work(stage), { usage });
    await stage.end();
    const { attributes = {} } = stage.receiver.spans.find(({ name }) => name === "invoke_agent mock") ?? {};
    const said = (role: string, content: string, more: Members = {}): string =>
      JSON.stringify([{ role, parts: [{ type: "text", content }], ...more }]);
    assert.deepEqual(
      [attributes["gen_ai.input.messages"], attributes["gen_ai.output.messages"]],
      [said("user", "the prompt with ***"), said("assistant", "the answer with ***", { finish_reason: "end_turn" })],
    );
    const edited = stage.receiver.spans.find(({ name }) => name === "execute_tool edit");
    assert.equal(edited?.attributes["gen_ai.tool.call.arguments"], '{"path":"/secret"}');
    assert.doesNotMatch(stage.receiver.text, /hunter2/);
  });

  it("ends the spans of a turn that never ended", async () => {
    await using stage = await TelemetryStage.open();
    void stage.prompt(() => new Promise(() => undefined));
    stage.update("tool_call", edit);
    await stage.end();
    const failed = stage.receiver.spans.filter(({ isError }) => isError);
    assert.deepEqual(
      failed.map(({ name, attributes }) => [name, attributes["error.type"]]),
      [["invoke_agent mock", "unfinished"]],
    );
    assert.equal(stage.receiver.sumOf("symposium.agent.turns"), 1);
  });
});

describe("a trace", () => {
  it("continues the caller's, and goes to the agent with each prompt and with its variables", async () => {
    await using stage = await TelemetryStage.open({ traceparent });
    await stage.prompt();
    await stage.prompt(() => undefined, {}, { traceparent: traceparent.replace(parentId, "1111111111111111") });
    await stage.end();
    const { spans } = stage.receiver;
    const parents = spans.filter(({ name }) => name === "symposium" || name === "invoke_agent mock");
    assert.deepEqual([...new Set(spans.map(({ traceId }) => traceId))], ["4bf92f3577b34da6a3ce929d0e0e4736"]);
    const sessionSpan = spans.find(({ name }) => name === "session")?.spanId;
    assert.deepEqual(
      parents.map(({ parentSpanId }) => parentSpanId),
      [sessionSpan, "1111111111111111", parentId],
    );
    const passed = stage.agent.received.map(({ params }) => (params?.object?.["_meta"] as Members)["traceparent"]);
    const ids = [stage.telemetry.variables["TRACEPARENT"], ...passed].map((text) => String(text).split("-")[2]);
    const [first, second, root] = parents.map(({ spanId }) => spanId);
    assert.deepEqual(ids, [root, root, first, second]);
  });

  it("goes to an MCP server with a call, whose span is part of the session's turn", async () => {
    await using stage = await TelemetryStage.open();
    const sent: Members[] = [];
    const call = (params: Members, result: Members, session?: string): Promise<unknown> =>
      stage.telemetry.mcpCall({ server: "files", session, method: "tools/call", params }, (given) => {
        sent.push(given);
        return Promise.resolve({ isError: false, json: Json.of(result) });
      });
    await stage.prompt(async () => {
      await call({ name: "read", arguments: { path: "/secret" }, _meta: { progressToken: 1 } }, {}, "one");
      await call({ name: "write" }, { isError: true });
    });
    await call({ name: "own", _meta: { traceparent } }, {});
    await stage.telemetry.mcpCall({ server: "files", session: "one", method: "tools/list", params: {} }, () =>
      Promise.resolve({ isError: false, json: Json.of({}) }),
    );
    await stage.end();
    const calls = stage.receiver.spans.filter(({ name }) => name.startsWith("tools/"));
    const turn = stage.receiver.spans.find(({ name }) => name === "invoke_agent mock")?.spanId;
    assert.deepEqual(
      calls.map(({ name, parentSpanId, attributes }) => [name, parentSpanId, attributes["error.type"]]),
      [
        ["tools/call read", turn, undefined],
        ["tools/call write", turn, "tool_error"],
        ["tools/call own", parentId, undefined],
      ],
    );
    assert.deepEqual(
      sent.map(({ _meta }) => String((_meta as Members)["traceparent"]).split("-")[2]),
      calls.map(({ spanId }) => spanId),
    );
    assert.equal((sent[0]?.["_meta"] as Members)["progressToken"], 1);
    assert.doesNotMatch(stage.receiver.text, /secret/);
  });
});

describe("telemetry whose receiver fails", () => {
  it("is dropped beyond the queue, counted and reported once, if the receiver hangs; the end doesn't wait", async () => {
    await using stage = await TelemetryStage.open({ mood: "hangs", maxQueuedSpans: 16 });
    for (let turn = 0; turn < 100; turn++) await stage.prompt();
    await stage.end();
    assert.equal(stage.undelivered, 102);
    assert.deepEqual(
      stage.logged.map(({ level, event, fields }) => [level, event, fields]),
      [
        [
          "error",
          "telemetry can't be delivered and is dropped",
          { receiver: stage.receiver.url, reason: "the receiver didn't answer in time" },
        ],
        ["warn", "spans were dropped", { count: 102 }],
      ],
    );
  });

  it("is dropped, counted and reported once if the receiver answers with an error", async () => {
    await using stage = await TelemetryStage.open({ mood: 500 });
    await stage.prompt();
    await stage.end();
    assert.equal(stage.undelivered, 3);
    assert.deepEqual(
      stage.logged.map(({ level, fields }) => [level, fields["reason"] ?? fields["count"]]),
      [
        ["error", "Internal Server Error"],
        ["warn", 3],
      ],
    );
  });
});

describe("the headers of telemetry", () => {
  it("are sent, but never logged", async () => {
    process.env["OTEL_EXPORTER_OTLP_HEADERS"] = "authorization=Bearer%20hunter3";
    try {
      await using stage = await TelemetryStage.open({ mood: 401 });
      await stage.prompt();
      await stage.end();
      const [first] = stage.receiver.headers;
      assert.equal(first?.authorization, "Bearer hunter3");
      assert.ok(stage.logged.length > 0);
      assert.doesNotMatch(JSON.stringify(stage.logged), /hunter3/);
    } finally {
      delete process.env["OTEL_EXPORTER_OTLP_HEADERS"];
    }
  });
});
