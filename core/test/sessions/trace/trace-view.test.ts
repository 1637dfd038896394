import assert from "node:assert/strict";
import { renderTrace } from "../../../src/sessions/trace/trace-view.js";
import { type PageEvent, previewOf } from "../../../src/sessions/trace/page/labels.js";
import { TraceRows } from "../../../src/sessions/trace/page/rows.js";

const hostile = `</script><img onerror=alert(1) src=x><!--<script>"'&`;

function line(event: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ ts: 1, protocol: "acp", from: "Client", to: "Agent", ...event });
}

function update(text: string, hop: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const content = { type: "text", text };
  const params = { sessionId: "s", update: { sessionUpdate: "agent_message_chunk", content } };
  return {
    type: "notification",
    ts: 1,
    from: "Agent",
    to: "Client",
    method: "session/update",
    session: "s",
    params,
    ...hop,
  };
}

function dataOf(page: string): unknown {
  const [, json = ""] = /<script type="application\/json" id="trace-data">([^<]*)<\/script>/.exec(page) ?? [];
  return JSON.parse(json);
}

/** The rows of a page with these events. */
function rowsOf(events: readonly unknown[]): TraceRows {
  const partners = events.map(() => -1);
  return new TraceRows({ components: ["Client", "p", "Agent"], events: events as PageEvent[], partners, took: [] });
}

describe("renderTrace", () => {
  it("lets nothing of a hostile trace become markup, and keeps it as data", () => {
    const header = JSON.stringify({
      type: "header",
      version: 1,
      started: hostile,
      components: ["Client", hostile, "Agent"],
    });
    const page = renderTrace(
      [
        header,
        line({
          type: "request",
          id: hostile,
          method: hostile,
          session: hostile,
          to: hostile,
          params: { [hostile]: hostile },
        }),
        line({
          type: "response",
          id: hostile,
          from: hostile,
          to: "Client",
          is_error: true,
          payload: { message: hostile },
        }),
        JSON.stringify({ type: "process", ts: 2, component: hostile, event: "stderr", text: hostile }),
      ].join("\n"),
    );
    assert.ok(!page.includes("<img"));
    assert.ok(!page.includes("<!--"));
    assert.equal(page.match(/<script/g)?.length, 2);
    assert.equal(page.match(/<\/script/g)?.length, 2);
    const { events } = dataOf(page) as { events: { method?: unknown }[] };
    assert.equal(events[0]?.method, hostile);
  });

  it("forbids the network, inline handlers and scripts other than its own", () => {
    const page = renderTrace(line({ type: "notification", method: "m" }));
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? "";
    const nonce = /<script nonce="([^"]+)">/.exec(page)?.[1] ?? "missing";
    assert.deepEqual(policy.split("; "), [
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      `style-src 'nonce-${nonce}'`,
      "base-uri 'none'",
      "form-action 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    assert.doesNotMatch(page, /\son\w+=|\sstyle=|https?:/);
    assert.notEqual(renderTrace(line({ type: "notification", method: "m" })), page);
  });

  it("says at the top what failed and what could not be read", () => {
    const page = renderTrace(
      [
        line({ type: "request", id: 1, method: "session/new", params: {} }),
        line({ type: "response", id: 1, ts: 1.5, from: "Agent", to: "Client", is_error: true, payload: {} }),
        "broken",
      ].join("\n"),
    );
    for (const fact of ["<dt>Errors</dt><dd>1</dd>", "<dt>Unreadable lines</dt><dd>1</dd>", ">500 ms<"]) {
      assert.ok(page.includes(fact), fact);
    }
  });

  it("refuses what is no trace", () => {
    assert.throws(() => renderTrace("hello"), { name: "SymposiumError", code: "invalid-trace" });
  });
});

describe("rows of the diagram", () => {
  it("folds a run of the same notification into one row a hop, although the hops take turns", () => {
    const chunks = Array.from({ length: 4 }, (_, number) => [
      update(`${number} `, { to: "p" }),
      update(`${number} `, { from: "p" }),
    ]).flat();
    const events = [update("x", { method: "other" }), ...chunks];
    const rows = rowsOf(events).rowsOf([...events.keys()], new Set());
    assert.deepEqual(rows, [
      { index: 0 },
      { index: 1, run: [1, 3, 5, 7], isExpanded: false },
      { index: 2, run: [2, 4, 6, 8], isExpanded: false },
    ]);
  });

  it("shows the members of an expanded run, and leaves pairs alone", () => {
    const events = [
      update("a"),
      update("b"),
      update("c"),
      update("d", { session: "t" }),
      update("e", { session: "t" }),
    ];
    assert.deepEqual(rowsOf(events).rowsOf([0, 1, 2, 3, 4], new Set([0])), [
      { index: 0, run: [0, 1, 2], isExpanded: true },
      { index: 0, isMember: true },
      { index: 1, isMember: true },
      { index: 2, isMember: true },
      { index: 3 },
      { index: 4 },
    ]);
    assert.equal(rowsOf(events).runPreview([0, 1, 2]), "agent_message_chunk abc");
  });

  it("filters by text, method, session, hop and failure", () => {
    const events = [
      update("Hello"),
      { type: "request", ts: 1, from: "Client", to: "p", id: 1, method: "session/prompt", session: "s", params: null },
      { type: "process", ts: 1, from: "p", to: "p", component: "p", event: "exit", code: 1 },
    ];
    const none = { text: "", method: "", session: "", hop: "", hidesUpdates: false, onlyErrors: false };
    const filtered = (filter: object): unknown => rowsOf(events).filtered({ ...none, ...filter });
    assert.deepEqual(
      [
        filtered({}),
        filtered({ text: "hELLO" }),
        filtered({ method: "session/prompt" }),
        filtered({ session: "s" }),
        filtered({ hop: "Client ↔ p" }),
        filtered({ hidesUpdates: true }),
        filtered({ onlyErrors: true }),
      ],
      [[0, 1, 2], [0], [1], [0, 1], [1], [1, 2], [2]],
    );
  });

  it("labels events whose members have unexpected types", () => {
    const odd: unknown[] = [null, 1, "x", [], [null], {}, { join: 1 }, { update: null }, { update: { content: 3 } }];
    const events = odd.flatMap((value) => [
      ...["session/update", "session/prompt", "session/request_permission", "initialize", "mcp/message", "other"].map(
        (method) => ({ type: "notification", ts: 1, from: "a", to: "b", method, params: value }),
      ),
      { type: "response", ts: 1, from: "a", to: "b", id: 1, is_error: true, payload: value },
      { type: "response", ts: 1, from: "a", to: "b", id: 1, protocol: "mcp", payload: { result: { content: value } } },
      { type: "process", ts: 1, component: "a", event: "start", args: value, command: value },
      { type: "process", ts: 1, component: "a", event: "exit", code: value, signal: value },
    ]);
    const rows = rowsOf(events);
    assert.ok(rows.trace.events.every((event) => typeof previewOf(event) === "string"));
    assert.ok(events.every((_, index) => typeof rows.methodOf(index) === "string"));
  });
});
