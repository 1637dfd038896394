import assert from "node:assert/strict";
import { asObject } from "../../../src/base/rpc/json.js";
import { Frame } from "../../../src/base/rpc/frame.js";
import { Notification, Outcome, Request } from "../../../src/base/rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../../../src/base/rpc/peer.js";
import { RpcError } from "../../../src/base/rpc/rpc-error.js";
import { tracedPeer } from "../../../src/sessions/trace/traced-peer.js";
import { TraceWriter } from "../../../src/sessions/trace/trace-writer.js";

/** A peer that notes what reaches it, in one list with the trace, and answers when told to. */
function setUp(onRequest?: (reply: Reply) => Cancel | undefined) {
  let nowMs = 100;
  const log: unknown[] = [];
  const received: unknown[] = [];
  const writer = new TraceWriter({
    writeLine: (line) => log.push(JSON.parse(line)),
    nowMs: () => nowMs,
    started: new Date(0),
  });
  writer.begin(["Client", "Agent"]);
  const peer: Peer = {
    request(request, reply) {
      received.push(request);
      log.push(`peer: ${request.method}`);
      return onRequest?.(reply) ?? nothingToCancel;
    },
    notify(notification) {
      received.push(notification);
      log.push(`peer: ${notification.method}`);
    },
  };
  const traced = tracedPeer(peer, { from: "Client", to: "Agent", sink: writer });
  return { traced, log, received, wait: (ms: number) => (nowMs += ms) };
}

const hop = { protocol: "acp", from: "Client", to: "Agent" };
const back = { protocol: "acp", from: "Agent", to: "Client" };

describe("tracedPeer", () => {
  it("records a request before it goes on and its outcome, with the duration, before it comes back", () => {
    let answer: Reply | undefined;
    const { traced, log, wait } = setUp((reply) => {
      answer = reply;
      return undefined;
    });
    wait(1.5);
    const params = { sessionId: "s", prompt: [] };
    traced.request(Request.of("session/prompt", params), () => log.push("reply"));
    wait(2.25);
    answer?.(Outcome.of({ stopReason: "end_turn" }));
    const message = { id: 1, method: "session/prompt", session: "s" };
    assert.deepEqual(log, [
      { type: "header", version: 1, started: "1970-01-01T00:00:00.000Z", components: ["Client", "Agent"] },
      { type: "request", ts: 0.0015, ...hop, ...message, params },
      "peer: session/prompt",
      {
        type: "response",
        ts: 0.00375,
        ...back,
        ...message,
        is_error: false,
        payload: { stopReason: "end_turn" },
        duration_ms: 2.25,
      },
      "reply",
    ]);
  });

  it("hands on the same objects, so the raw text survives", () => {
    const frame = Frame.scan('{"jsonrpc":"2.0","id":1,"result":{"big":12345678901234567890,"x":1.0}}');
    assert.ok(frame);
    const outcome = Outcome.ofFrame(frame);
    const { traced, received } = setUp((reply) => {
      reply(outcome);
      return undefined;
    });
    const request = Request.of("a", null);
    const notification = Notification.of("b", {});
    const outcomes: Outcome[] = [];
    traced.request(request, (given) => outcomes.push(given));
    traced.notify(notification);
    assert.equal(received[0], request);
    assert.equal(received[1], notification);
    assert.equal(outcomes[0], outcome);
    assert.equal(outcomes[0].textWithId("7"), '{"jsonrpc":"2.0","id":7,"result":{"big":12345678901234567890,"x":1.0}}');
  });

  it("records errors as such", () => {
    const { traced, log } = setUp((reply) => {
      reply(Outcome.error(RpcError.methodNotFound("x")));
      return undefined;
    });
    traced.request(Request.of("x", {}), () => undefined);
    const { is_error, payload } = asObject(log.at(-1)) ?? {};
    assert.deepEqual(
      { is_error, payload },
      {
        is_error: true,
        payload: { code: -32601, message: "Method not found: x", data: { method: "x" } },
      },
    );
  });

  it("takes the session of a setup from its result", () => {
    const { traced, log } = setUp((reply) => {
      reply(Outcome.of({ sessionId: "fresh" }));
      return undefined;
    });
    traced.request(Request.of("session/fork", { sessionId: "old" }), () => undefined);
    const events = log.map(asObject).filter((event) => event !== undefined);
    assert.deepEqual(
      events.slice(1).map((event) => event["session"]),
      ["old", "fresh"],
    );
  });

  it("records one cancellation, and none after the answer", () => {
    const cancelled: string[] = [];
    let answer: Reply | undefined;
    const { traced, log } = setUp((reply) => {
      answer = reply;
      return () => cancelled.push("cancel");
    });
    const cancel = traced.request(Request.of("session/prompt", { sessionId: "s" }), () => undefined);
    cancel();
    cancel();
    answer?.(Outcome.of({ stopReason: "cancelled" }));
    cancel();
    const cancellations = log.filter((event) => asObject(event)?.["method"] === "$/cancel_request");
    assert.deepEqual(cancellations, [
      { type: "notification", ts: 0, ...hop, method: "$/cancel_request", session: "s", params: { requestId: 1 } },
    ]);
    assert.equal(cancelled.length, 3);
  });

  it("tells MCP messages from ACP ones in every dialect, and writes null for no params", () => {
    const { traced, log } = setUp();
    for (const method of ["mcp/message", "_mcp/connect", "session/cancel"]) traced.notify(new Notification(method));
    const events = log.map(asObject).filter((event) => event?.["type"] === "notification");
    assert.deepEqual(
      events.map((event) => [event?.["protocol"], event?.["params"]]),
      [
        ["mcp", null],
        ["mcp", null],
        ["acp", null],
      ],
    );
  });

  it("passes on a message whose params are no JSON, and records their text", () => {
    const frame = Frame.scan('{"jsonrpc":"2.0","method":"odd","params":{"a":tru}}');
    assert.ok(frame);
    const { traced, log, received } = setUp();
    traced.notify(new Notification("odd", undefined, frame));
    assert.equal(received.length, 1);
    assert.deepEqual(asObject(log[1])?.["params"], { unreadable: '{"a":tru}' });
  });
});
