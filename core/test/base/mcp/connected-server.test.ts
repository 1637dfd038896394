import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { ConnectedServer, UpstreamCalls } from "../../../src/base/mcp/mcp-over-acp-client.js";
import type { McpCallContext } from "../../../src/base/mcp/mcp-server.js";
import { connectionDialects } from "../../../src/base/mcp/wire.js";
import { Json } from "../../../src/base/rpc/json.js";
import { Notification, Outcome, type Request } from "../../../src/base/rpc/message.js";
import { RpcError } from "../../../src/base/rpc/rpc-error.js";
import { RecordingPeer } from "../../../testing/recording-peer.js";

const quiet: McpCallContext = { signal: new AbortController().signal, notify: () => undefined };
const hello = { serverInfo: { name: "n", version: "2" }, capabilities: { tools: {} }, instructions: "Do." };
const inner = (request: Request): unknown => request.params?.object?.["method"];

interface Setting {
  readonly server: ConnectedServer;
  readonly upstream: RecordingPeer;
  readonly calls: UpstreamCalls;
}

/** A component of a generation, which answers `initialize` and leaves other calls open. */
function component(
  name: "legacy" | "mid",
  connect: () => unknown = () => ({ connectionId: "c" }),
  initialize: () => unknown = () => hello,
): Setting {
  const dialect = connectionDialects[name];
  const upstream = new RecordingPeer({
    [dialect.connect]: connect,
    [dialect.message]: (request) => (inner(request) === "initialize" ? initialize() : undefined),
  });
  const calls = new UpstreamCalls();
  return { server: new ConnectedServer("tools", "ref", dialect, upstream, calls), upstream, calls };
}

const sent = ({ upstream }: Setting): unknown[] =>
  upstream.received.map(({ kind, method, params }) => [kind, method, params?.value]);

describe("ConnectedServer", () => {
  for (const [name, key, connected] of [
    ["legacy", "acp_url", { connection_id: "c" }],
    ["mid", "serverId", { connectionId: "c" }],
  ] as const) {
    it(`connects at the first call, once, and disconnects at its end (${name})`, async () => {
      const it = component(name, () => connected);
      const { connect, message, disconnect, connectionKey } = connectionDialects[name];
      const descriptions = await Promise.all([it.server.describe(), it.server.describe()]);
      await it.server[Symbol.asyncDispose]();
      await setImmediate();
      const clientInfo = { name: "symposium", version: "1" };
      const greeting = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
      assert.deepEqual(
        [descriptions, sent(it)],
        [
          [hello, hello],
          [
            ["request", connect, { [key]: "ref" }],
            ["request", message, { connectionId: "c", method: "initialize", params: greeting }],
            ["notification", message, { connectionId: "c", method: "notifications/initialized" }],
            ["notification", disconnect, { [connectionKey]: "c" }],
          ],
        ],
      );
    });
  }

  it("opens nothing, and closes nothing, when nobody calls", async () => {
    const it = component("mid");
    await it.server[Symbol.asyncDispose]();
    assert.deepEqual(sent(it), []);
  });

  it("gives progress to the caller whose call it belongs to, under the caller's own token", async () => {
    const it = component("mid");
    const notes: unknown[] = [];
    const call = (name: string): Promise<unknown> =>
      it.server.call(
        "tools/call",
        Json.of({ name, _meta: { progressToken: "same", "io.modelcontextprotocol/protocolVersion": "x", kept: 1 } }),
        {
          ...quiet,
          notify: (method, params) => notes.push([name, method, params?.value]),
        },
      );
    const running = [call("a"), call("b")];
    await setImmediate();
    const params = it.upstream.open.map(
      ({ request }) => request.params?.object?.["params"] as { _meta: Record<string, unknown> },
    );
    const [first, second] = params.map(({ _meta }) => _meta["progressToken"]);
    assert.notEqual(first, second);
    assert.deepEqual(params[0], { name: "a", _meta: { kept: 1, progressToken: first } });
    const tell = (progressToken: unknown): boolean =>
      it.calls.deliver(
        Notification.of("mcp/message", {
          connectionId: "c",
          method: "notifications/progress",
          params: { progressToken, progress: 1 },
        }),
      );
    tell(second);
    tell("unknown");
    it.calls.deliver(Notification.of("mcp/message", { connectionId: "c", method: "notifications/tools/list_changed" }));
    for (const { reply } of [...it.upstream.open]) reply(Outcome.result(Json.ofText('{"n":1.0}')));
    await Promise.all(running);
    tell(first);
    assert.deepEqual(notes, [["b", "notifications/progress", { progressToken: "same", progress: 1 }]]);
  });

  it("passes calls, results and errors as they are", async () => {
    const it = component("mid");
    const calls = [it.server.call("a", undefined, quiet), it.server.call("b", Json.ofText('{"n":1.0}'), quiet)];
    await setImmediate();
    const texts = it.upstream.open.map(({ request }) => request.params?.text);
    it.upstream.open[0]?.reply(Outcome.result(Json.ofText("1.0")));
    it.upstream.open[0]?.reply(Outcome.errorJson(Json.ofText('{"code":-1.0}')));
    assert.deepEqual(
      [texts, (await Promise.all(calls)).map(({ isError, json }) => [isError, json.text])],
      [
        ['{"connectionId":"c","method":"a"}', '{"connectionId":"c","method":"b","params":{"n":1.0}}'],
        [
          [false, "1.0"],
          [true, '{"code":-1.0}'],
        ],
      ],
    );
  });

  it("cancels a call that is given up", async () => {
    const it = component("mid");
    const controller = new AbortController();
    const call = it.server.call("slow", undefined, { ...quiet, signal: controller.signal });
    await setImmediate();
    controller.abort();
    it.upstream.open[0]?.reply(Outcome.error(RpcError.cancelled()));
    await call;
    assert.equal(it.upstream.received.at(-1)?.kind, "cancel");
  });

  it("tries again at the next call after a component has refused, and leaves no connection behind", async () => {
    const refusals: unknown[] = [Outcome.error(RpcError.internal("not yet")), {}];
    const it = component(
      "mid",
      () => refusals.shift() ?? { connectionId: "c" },
      () => (refusals.length === 0 && attempts++ === 0 ? Outcome.error(RpcError.internal("no")) : hello),
    );
    let attempts = 0;
    await assert.rejects(it.server.describe(), /"tools" did not accept mcp\/connect: .*not yet/);
    await assert.rejects(it.server.describe(), /did not accept mcp\/connect: \{\}/);
    await assert.rejects(it.server.describe(), /refused initialize/);
    assert.deepEqual(
      [sent(it).at(-1), await it.server.describe()],
      [["notification", "mcp/disconnect", { connectionId: "c" }], hello],
    );
  });

  it("ends without waiting for a component that never answers, and disconnects when that answers after all", async () => {
    const it = component("mid", () => undefined);
    const described = it.server.describe();
    await it.server[Symbol.asyncDispose]();
    it.upstream.open[0]?.reply(Outcome.of({ connectionId: "late" }));
    await described;
    await setImmediate();
    assert.deepEqual(sent(it).at(-1), ["notification", "mcp/disconnect", { connectionId: "late" }]);
  });
});
