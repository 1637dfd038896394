import assert from "node:assert/strict";
import { parseTrace } from "../../../src/sessions/trace/parse-trace.js";
import { formatMs, summarizeTrace } from "../../../src/sessions/trace/trace-summary.js";

type Side = readonly [from: string, to: string];

function request(ts: number, [from, to]: Side, id: number, method = "session/prompt"): string {
  return JSON.stringify({ type: "request", ts, protocol: "acp", from, to, id, method, session: "s", params: null });
}

function response(ts: number, [to, from]: Side, id: number, is_error = false): string {
  return JSON.stringify({
    type: "response",
    ts,
    from,
    to,
    id,
    method: "session/prompt",
    session: "s",
    is_error,
    payload: 1,
  });
}

const summarize = (lines: readonly string[]) => summarizeTrace(parseTrace(lines.join("\n")));
const outer: Side = ["Client", "proxy"];
const inner: Side = ["proxy", "Agent"];

describe("summarizeTrace", () => {
  it("pairs responses with requests of their hop and counts what has no answer", () => {
    const summary = summarize([
      request(1, outer, 1),
      request(1, inner, 1),
      response(2, inner, 1, true),
      request(3, outer, 2),
    ]);
    const { requests, errors, unanswered, partners, spanMs } = summary;
    assert.deepEqual(
      { requests, errors, unanswered, partners, spanMs },
      { requests: 3, errors: 1, unanswered: 2, partners: [-1, 2, 1, -1], spanMs: 2000 },
    );
  });

  it("tells a component's own time from that of its successor", () => {
    const { hops } = summarize([
      request(1, outer, 1),
      request(1.25, inner, 2),
      response(1.75, inner, 2),
      response(2, outer, 1),
    ]);
    assert.deepEqual(
      hops.map(({ to, p50Ms, maxMs, ownP50Ms }) => ({ to, p50Ms, maxMs, ownP50Ms })),
      [
        { to: "proxy", p50Ms: 1000, maxMs: 1000, ownP50Ms: 500 },
        { to: "Agent", p50Ms: 500, maxMs: 500, ownP50Ms: 500 },
      ],
    );
  });

  it("lists a request that went through the chain once among the slowest", () => {
    const { slowest } = summarize([
      request(1, outer, 1),
      request(1.1, inner, 2),
      response(1.9, inner, 2),
      response(2, outer, 1),
      request(3, inner, 3, "own/request"),
      response(3.25, inner, 3),
    ]);
    assert.deepEqual(
      slowest.map(({ index, durationMs }) => [index, durationMs]),
      [
        [0, 1000],
        [4, 250],
      ],
    );
  });

  it("writes durations with three digits that count", () => {
    assert.deepEqual([0.123, 9.996, 12.34, 999.4, 999.6, 12_345, 61_500].map(formatMs), [
      "0.12 ms",
      "10.0 ms",
      "12.3 ms",
      "999 ms",
      "1.00 s",
      "12.3 s",
      "1 min 1 s",
    ]);
  });
});
