import assert from "node:assert/strict";
import { type CountedSession, UsageCounter } from "../../../src/sessions/usage/usage-counter.js";
import type { AgentLimit } from "../../../src/sessions/usage/usage-table.js";
import { noUsage, type UsageRow } from "../../../src/sessions/usage/usage-row.js";

type Members = Readonly<Record<string, unknown>>;

const noon = new Date(2026, 0, 31, 12).getTime();
const ours: Members = { toolCallId: "t", title: "mcp__tests__run_tests", kind: "other" };
const shell: Members = { toolCallId: "s", title: "Run", kind: "execute", rawInput: { command: "npm test" } };

describe("what a turn ran", () => {
  let rows: UsageRow[];
  let limits: AgentLimit[];
  let sessions: UsageCounter;
  let log: CountedSession;
  beforeEach(() => {
    rows = [];
    limits = [];
    sessions = new UsageCounter({ add: (row) => rows.push(row), limit: (one) => limits.push(one) }, () => noon);
    log = sessions.open({ id: "one", cwd: "/work", agent: "opencode", hasHistory: false });
  });

  const call = (members: Members, kind = "tool_call"): void =>
    log.update(JSON.stringify({ sessionId: "one", update: { sessionUpdate: kind, ...members } }));
  const done = (id: unknown, members: Members = {}): void =>
    call({ toolCallId: id, status: "completed", ...members }, "tool_call_update");
  async function counted(): Promise<readonly (readonly [string, number, number])[]> {
    log.end("{}", "opencode");
    await sessions[Symbol.asyncDispose]();
    const runs = rows.splice(0).filter(({ toolRuns, shellRuns }) => toolRuns + shellRuns > 0);
    return runs.map(({ agent, toolRuns, shellRuns }) => [agent, toolRuns, shellRuns]);
  }

  it("is counted at its end, by our tools and in the shell, with day, agent and folder alone", async () => {
    call(ours);
    done("t");
    call(shell);
    done("s", { content: [{ type: "content", content: { type: "text", text: "secret" } }] });
    log.end("{}", "opencode");
    await sessions[Symbol.asyncDispose]();
    const row = { ...noUsage, day: "2026-01-31", agent: "opencode", folder: "/work" };
    assert.deepEqual(rows, [
      { ...row, toolCalls: 2, toolRuns: 1, shellRuns: 0 },
      { ...row, toolRuns: 0, shellRuns: 1 },
    ]);
  });

  const usage = (members: Members): void =>
    log.update(
      JSON.stringify({ sessionId: "one", update: { sessionUpdate: "usage_update", used: 90_000, ...members } }),
    );

  it("is told in tokens, by the turn's usage, else by the requests to its models, and never by the context in use", () => {
    usage({ size: 200_000 });
    const cached = { cachedReadTokens: 5, cachedWriteTokens: 2, thoughtTokens: 3 };
    log.end(JSON.stringify({ usage: { totalTokens: 40, inputTokens: 20, outputTokens: 10, ...cached } }), "claude");
    log.end(JSON.stringify({ _meta: { quota: { token_count: { input_tokens: 7, output_tokens: 3 } } } }), "gemini");
    log.end(JSON.stringify({ stopReason: "end_turn" }), "qwen");
    assert.deepEqual(
      rows.map(({ agent, inputTokens, outputTokens, cachedTokens }) => [
        agent,
        inputTokens,
        outputTokens,
        cachedTokens,
      ]),
      [
        ["claude", 20, 10, 7],
        ["gemini", 7, 3, 0],
      ],
    );
  });

  it("is priced by its models where they are named and the agent does not say what it costs", () => {
    const turn = (model: string): string =>
      JSON.stringify({ _meta: { quota: { model_usage: [{ model, token_count: { input_tokens: 1_000_000 } }] } } });
    log.end(turn("gpt-5"), "codex");
    const [priced] = rows.splice(0);
    assert.ok(priced && priced.microDollars > 0 && log.tellsCost);
    log.end(turn("a-model-of-nobody"), "codex");
    assert.deepEqual([rows.length, log.tellsCost, log.unpriced], [0, false, ["a-model-of-nobody"]]);
    usage({ cost: { amount: 0.5, currency: "USD" } });
    log.end(turn("gpt-5"), "codex");
    assert.deepEqual(
      rows.map(({ microDollars }) => microDollars),
      [500_000],
    );
  });

  it("is told in tokens on the way, too, which are not added to those of its result", () => {
    const chunk = (members: Members): void =>
      log.update(
        JSON.stringify({ sessionId: "one", update: { sessionUpdate: "agent_message_chunk", content: {}, ...members } }),
      );
    const _meta = { usage: { inputTokens: 20, outputTokens: 5, cachedReadTokens: 8, totalTokens: 25 }, durationMs: 9 };
    log.replays();
    chunk({ _meta });
    log.replayed(true);
    chunk({ content: { type: "text", text: '"usage": {"inputTokens": 1}' } });
    chunk({ _meta });
    chunk({ _meta });
    log.end(JSON.stringify({ stopReason: "end_turn" }), "qwen");
    chunk({ _meta });
    log.end(JSON.stringify({ usage: { inputTokens: 21, outputTokens: 6 } }), "qwen");
    assert.deepEqual(
      rows.map(({ inputTokens, outputTokens, cachedTokens }) => [inputTokens, outputTokens, cachedTokens]),
      [
        [40, 10, 16],
        [21, 6, 0],
      ],
    );
  });

  it("is a turn of its own where its agent takes a prompt while it is at another", () => {
    log.prompt("[]");
    log.prompt("[]");
    log.end("{}", "claude");
    log.end("{}", "claude");
    log.prompt("[]");
    log.prompt("[]");
    log.close();
    assert.deepEqual(
      rows.map(({ turns }) => turns),
      [1, 1, 2],
    );
  });

  it("counts every call of a turn, and none that this program shows or asks in its place", () => {
    for (let id = 0; id < 2_500; id++) call({ toolCallId: `c${id}`, title: "x" });
    call({ toolCallId: "c2400", status: "completed" }, "tool_call_update");
    call({ toolCallId: "symposium-budget-1", title: "Budget" });
    log.permission(JSON.stringify({ toolCall: { toolCallId: "symposium-trust-1" } }), "{}");
    log.end("{}", "claude");
    assert.deepEqual(
      rows.map(({ toolCalls }) => toolCalls),
      [2_500],
    );
  });

  it("is told in money by what the session's cost has grown, and not what it was before it was taken up", () => {
    const costs = (hasHistory: boolean): readonly number[] => {
      log = sessions.open({ id: "one", cwd: "/work", agent: "claude", hasHistory });
      for (const amount of [0.5, 0.75]) {
        usage({ cost: { amount, currency: "USD" } });
        log.end("{}", "claude");
      }
      return rows.splice(0).map(({ microDollars }) => microDollars);
    };
    assert.deepEqual([costs(false), costs(true)], [[500_000, 250_000], [250_000]]);
  });

  it("comes with the limits of the account, with the time at which they reset", () => {
    const limit = { status: "allowed_warning", rateLimitType: "five_hour", utilization: 0.83, resetsAt: 1_800_000_000 };
    usage({ _meta: { "_claude/rateLimit": limit } });
    usage({ _meta: { "_claude/rateLimit": { status: "rejected" } } });
    assert.deepEqual(limits, [
      { agent: "opencode", name: "five_hour", status: "allowed_warning", used: 0.83, resetsAt: 1_800_000_000_000 },
      { agent: "opencode", name: "limit", status: "rejected" },
    ]);
  });

  it("is told piece by piece: input that comes later, and a title that is refined", async () => {
    call({ toolCallId: "s", title: "Terminal", kind: "execute", rawInput: {} });
    done("s", { title: "`pytest -q`", rawInput: { command: "pytest -q" } });
    call({ toolCallId: "u", title: "bash", status: "pending" });
    done("u", { kind: "execute", title: "`go test ./...`" });
    assert.deepEqual(await counted(), [["opencode", 0, 2]]);
  });

  it("is read from words, too, as Codex gives them", async () => {
    call({ ...shell, rawInput: { command: ["bash", "-lc", "cd web && npm test"] } });
    done("s");
    assert.deepEqual(await counted(), [["opencode", 0, 1]]);
  });

  it("is known by the command that a permission is asked for, where the call itself does not name it", async () => {
    call({ toolCallId: "s", title: "Shell", kind: "execute", rawInput: {}, status: "pending" });
    const toolCall = { toolCallId: "s", rawInput: { command: "node --test" } };
    const options = [{ optionId: "a", kind: "allow_once" }];
    log.permission(JSON.stringify({ toolCall, options }), `{"outcome":{"outcome":"selected","optionId":"a"}}`);
    done("s");
    assert.deepEqual(await counted(), [["opencode", 0, 1]]);
  });

  it("is ours where an agent calls every tool with such a name one that executes", async () => {
    call({ toolCallId: "t", title: "tests-run_tests", kind: "execute", rawInput: {}, status: "completed" });
    call({ ...shell, title: "tests-run_tests", status: "completed" });
    assert.deepEqual(await counted(), [
      ["opencode", 1, 0],
      ["opencode", 0, 1],
    ]);
  });

  it("is one run for each call, however many programs and updates it has", async () => {
    call({ ...shell, rawInput: { command: "npm run lint && npm test" } });
    for (let index = 0; index < 3; index++) call({ toolCallId: "s", status: "in_progress" }, "tool_call_update");
    done("s");
    assert.deepEqual(await counted(), [["opencode", 0, 1]]);
    assert.deepEqual(await counted(), []);
  });

  it("is not what was refused, given up before it began, or shown again when a session is loaded", async () => {
    const asked = {
      toolCall: { toolCallId: "s" },
      options: [
        { optionId: "a", kind: "allow_once" },
        { optionId: "r", kind: "reject_once" },
      ],
    };
    const answer = (optionId: string): string => JSON.stringify({ outcome: { outcome: "selected", optionId } });
    call({ ...shell, status: "pending" });
    log.permission(JSON.stringify(asked), answer("r"));
    done("s", { status: "failed" });
    call({ ...shell, toolCallId: "waits", status: "pending" });
    log.replays();
    call({ ...ours, status: "completed" });
    log.replayed(true);
    assert.deepEqual(await counted(), []);
    call({ ...shell, status: "pending" });
    log.permission(JSON.stringify(asked), answer("a"));
    done("s", { status: "failed" });
    assert.deepEqual(await counted(), [["opencode", 0, 1]]);
  });

  it("is not taken for ours by its words, nor for a shell's by its content", async () => {
    call({ toolCallId: "a", title: "grep run_tests", kind: "execute", rawInput: { command: "grep run_tests ." } });
    done("a");
    call({ toolCallId: "b", title: "mcp__tests__detail", kind: "other", status: "completed" });
    call({ toolCallId: "c", title: "npm test", kind: "read", status: "completed" });
    log.update(
      '{"sessionId":"one","update":{"sessionUpdate":"agent_message_chunk","text":"\\"tool_call\\" npm test"}}',
    );
    log.update('"tool_call');
    assert.deepEqual(await counted(), []);
  });

  it("counts with a session that is closed in the middle of a turn", async () => {
    call({ ...ours, status: "in_progress" });
    log.close();
    await sessions[Symbol.asyncDispose]();
    assert.deepEqual(
      rows.map(({ toolRuns }) => toolRuns),
      [1],
    );
  });
});
