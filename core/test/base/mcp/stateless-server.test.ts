import assert from "node:assert/strict";
import type { McpCallContext } from "../../../src/base/mcp/mcp-server.js";
import { StatelessServer, UpstreamCalls } from "../../../src/base/mcp/mcp-over-acp-client.js";
import { Json } from "../../../src/base/rpc/json.js";
import { Notification, Outcome } from "../../../src/base/rpc/message.js";
import { RpcError } from "../../../src/base/rpc/rpc-error.js";
import { type Answer, RecordingPeer } from "../../../testing/recording-peer.js";

const version = "io.modelcontextprotocol/protocolVersion";
const capabilities = "io.modelcontextprotocol/clientCapabilities";
const quiet: McpCallContext = { signal: new AbortController().signal, notify: () => undefined };

function over(answer: Answer | undefined): { server: StatelessServer; upstream: RecordingPeer; calls: UpstreamCalls } {
  const upstream = new RecordingPeer(
    answer === undefined ? { "mcp/message": () => undefined } : { "mcp/message": answer },
  );
  const calls = new UpstreamCalls();
  return { server: new StatelessServer("tools", "id", upstream, calls), upstream, calls };
}

describe("StatelessServer", () => {
  it("sends each call in an envelope that says what the revision wants, and keeps what was there", async () => {
    const { server, upstream } = over({ result: {} });
    await server.call("tools/list", undefined, quiet);
    await server.call("tools/call", Json.ofText('{"n":1.0,"_meta":{"progressToken":1.0}}'), quiet);
    await server.call("tools/call", Json.of({ _meta: { [version]: "2099-01-01", [capabilities]: { a: 1 } } }), quiet);
    const envelopes = upstream.received.map(({ params }) => params?.object ?? {});
    assert.equal(new Set(envelopes.map(({ requestId }) => requestId)).size, 3);
    assert.deepEqual(
      envelopes.map(({ requestId: _unique, ...rest }) => rest),
      [
        { serverId: "id", method: "tools/list", params: { _meta: { [version]: "2026-07-28", [capabilities]: {} } } },
        {
          serverId: "id",
          method: "tools/call",
          params: { n: 1, _meta: { [version]: "2026-07-28", [capabilities]: {}, progressToken: 1 } },
        },
        {
          serverId: "id",
          method: "tools/call",
          params: { _meta: { [version]: "2099-01-01", [capabilities]: { a: 1 } } },
        },
      ],
    );
    assert.match(upstream.received[1]?.params?.text ?? "", /"progressToken":1\.0.*|"n":1\.0/);
  });

  it("takes the server's answer out of its carrier, and an error of the transport for an error", async () => {
    const answers: Answer[] = [
      Outcome.result(Json.ofText('{"result":{"n":1.0}}')),
      { result: null },
      { error: { code: -1, message: "m" } },
      { result: 1, error: { code: -1 } },
      {},
      Outcome.error(new RpcError(-33001, "unknown server")),
    ];
    const outcomes = await Promise.all(answers.map((answer) => over(answer).server.call("x", undefined, quiet)));
    assert.deepEqual(
      outcomes.map(({ isError, json }) => [isError, json.text]),
      [
        [false, '{"n":1.0}'],
        [false, "null"],
        [true, '{"code":-1,"message":"m"}'],
        [false, "1"],
        [true, '{"code":-33002,"message":"the answer to mcp/message has neither a result nor an error"}'],
        [true, '{"code":-33001,"message":"unknown server"}'],
      ],
    );
  });

  it("brings notifications to the call they belong to, while it runs", async () => {
    const { server, upstream, calls } = over(undefined);
    const notes: unknown[] = [];
    const call = (name: string): Promise<unknown> =>
      server.call("tools/call", undefined, {
        ...quiet,
        notify: (method, params) => notes.push([name, method, params?.text]),
      });
    const running = [call("first"), call("second")];
    const [first, second] = upstream.received.map(({ params }) => params?.object?.["requestId"]);
    const tell = (requestId: unknown): boolean =>
      calls.deliver(Notification.of("mcp/message", { requestId, method: "notifications/progress", params: { n: 1 } }));
    const delivered = [tell(second), tell(first), tell("unknown")];
    for (const { reply } of [...upstream.open]) reply(Outcome.of({ result: {} }));
    await Promise.all(running);
    assert.deepEqual(
      [delivered, tell(first), notes],
      [
        [true, true, false],
        false,
        [
          ["second", "notifications/progress", '{"n":1}'],
          ["first", "notifications/progress", '{"n":1}'],
        ],
      ],
    );
  });

  it("cancels the request of a call that is given up", async () => {
    const { server, upstream } = over(undefined);
    const controller = new AbortController();
    const call = server.call("tools/call", undefined, { ...quiet, signal: controller.signal });
    controller.abort();
    upstream.open[0]?.reply(Outcome.error(RpcError.cancelled()));
    assert.deepEqual(
      [(await call).json.object?.["code"], upstream.received.map(({ kind }) => kind)],
      [-32800, ["request", "cancel"]],
    );
  });

  it("describes itself by server/discover, with its name where the server gives none", async () => {
    const full = {
      capabilities: { tools: {} },
      instructions: "Do.",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "n", version: "2" } },
    };
    assert.deepEqual(
      [
        await over({ result: full }).server.describe(quiet.signal),
        await over({ result: {} }).server.describe(quiet.signal),
      ],
      [
        { serverInfo: { name: "n", version: "2" }, capabilities: { tools: {} }, instructions: "Do." },
        { serverInfo: { name: "tools", version: "0" }, capabilities: {} },
      ],
    );
    await assert.rejects(
      over({ error: { code: -1, message: "m" } }).server.describe(quiet.signal),
      /"tools" refused server\/discover/,
    );
  });
});
