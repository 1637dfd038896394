import assert from "node:assert/strict";
import { wireDialects } from "../../testing/wire-dialect.js";
import { PartProcess } from "./part-process.js";

type Fields = Readonly<Record<string, unknown>>;

/** Starts a proxy that offers the server `pinger`, opens a session, and resolves with the declaration it added. */
async function offering(name: keyof typeof wireDialects): Promise<{ proxy: PartProcess; declaration: Fields }> {
  const dialect = wireDialects[name];
  const proxy = new PartProcess("proxy-main", "--dialect", name, "--mcp", "pinger");
  proxy.send({ id: "greeting", method: dialect.initialize, params: { protocolVersion: 1 } });
  const { id } = await proxy.message((message) => message["method"] === dialect.successor);
  proxy.send({ id, result: {} });
  await proxy.answer("greeting");
  proxy.sendText(
    '{"jsonrpc":"2.0","id":"new","method":"session/new","params":{"cwd":"/","mcpServers":[{"name":"own","x":1.0}]}}',
  );
  await proxy.message((message) => JSON.stringify(message).includes("session/new"));
  const line = proxy.lines.find((it) => it.includes("session/new")) ?? "";
  assert.ok(line.includes('[{"name":"own","x":1.0},'), "the client's own servers stay as they are");
  const { params } = JSON.parse(line) as { params: { params: { mcpServers: Fields[] } } };
  return { proxy, declaration: params.params.mcpServers[1] ?? {} };
}

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

describe("the MCP server of a current proxy", () => {
  const method = "proxy/successor";
  async function calling(): Promise<{
    proxy: PartProcess;
    call: (id: string, inner: string, params: Fields) => Promise<Fields>;
    serverId: unknown;
  }> {
    const { proxy, declaration } = await offering("current");
    const { serverId } = declaration;
    assert.deepEqual(
      { ...declaration, serverId: typeof serverId },
      { type: "acp", name: "pinger", serverId: "string" },
    );
    const call = (id: string, inner: string, params: Fields): Promise<Fields> =>
      proxy.request(id, method, {
        method: "mcp/message",
        params: { serverId, requestId: `mcp-${id}`, method: inner, params },
      });
    return { proxy, call, serverId };
  }

  it("answers stateless requests with inner results and inner errors", async () => {
    const { proxy, call } = await calling();
    await using _ = proxy;
    const discovered = await call("1", "server/discover", { _meta: meta });
    const listed = await call("2", "tools/list", { _meta: meta });
    const pong = await call("3", "tools/call", { name: "mcp_ping", arguments: { text: "hi" }, _meta: meta });
    const unknown = await call("4", "tools/call", { name: "nope", _meta: meta });
    const bare = await call("5", "tools/list", {});
    const old = await call("6", "tools/list", {
      _meta: { ...meta, "io.modelcontextprotocol/protocolVersion": "2025-11-25" },
    });
    assert.match(JSON.stringify(discovered["result"]), /"supportedVersions":\["2026-07-28"\].*"ttlMs":0/);
    assert.match(
      JSON.stringify(listed["result"]),
      /"resultType":"complete".*mcp_ping.*mcp_slow.*"cacheScope":"private"/,
    );
    assert.deepEqual(pong["result"], {
      result: { resultType: "complete", content: [{ type: "text", text: "pong: hi" }] },
    });
    assert.deepEqual(unknown["result"], { error: { code: -32602, message: "Unknown tool: nope" } });
    assert.match(JSON.stringify(bare["result"]), /^{"error":{"code":-32602/);
    assert.match(JSON.stringify(old["result"]), /^{"error":{"code":-32022/);
  });

  it("reports progress with the same ids, and answers -32800 when the hop cancels", async () => {
    const { proxy, call, serverId } = await calling();
    await using _ = proxy;
    const slow = call("slow", "tools/call", { name: "mcp_slow", _meta: { ...meta, progressToken: "p" } });
    const note = await proxy.message((message) => message["id"] === undefined && message["method"] === method);
    assert.deepEqual(note["params"], {
      method: "mcp/message",
      params: {
        serverId,
        requestId: "mcp-slow",
        method: "notifications/progress",
        params: { progressToken: "p", progress: 1, total: 2 },
      },
    });
    proxy.send({ method: "$/cancel_request", params: { requestId: "slow" } });
    assert.equal(((await slow)["error"] as Fields)["code"], -32800);
  });

  it("passes on what is for another server", async () => {
    const { proxy } = await calling();
    await using _ = proxy;
    proxy.send({
      id: "x",
      method,
      params: { method: "mcp/message", params: { serverId: "other", requestId: "1", method: "tools/list" } },
    });
    const forwarded = await proxy.message((message) => message["method"] === "mcp/message");
    assert.deepEqual(forwarded["params"], { serverId: "other", requestId: "1", method: "tools/list" });
  });
});

for (const name of ["legacy", "mid"] as const) {
  const { successor, mcp } = wireDialects[name];
  const prefix = name === "legacy" ? "_" : "";
  describe(`the MCP server of a ${name} proxy`, () => {
    async function connected(): Promise<{
      proxy: PartProcess;
      connectionId: unknown;
      call: (id: string, method: string, params: Fields) => Promise<Fields>;
    }> {
      const { proxy, declaration } = await offering(name);
      const server = name === "legacy" ? { acp_url: declaration["url"] } : { serverId: declaration["serverId"] };
      const kind = name === "legacy" ? { type: "http", headers: [], url: server.acp_url } : { type: "acp", ...server };
      assert.deepEqual(declaration, { name: "pinger", ...kind });
      const answer = await proxy.request("connect", successor, { method: `${prefix}mcp/connect`, params: server });
      const connectionId = (answer["result"] as Fields)[mcp.connection.resultMember];
      assert.equal(typeof connectionId, "string");
      const call = (id: string, method: string, params: Fields): Promise<Fields> =>
        proxy.request(id, successor, { method: `${prefix}mcp/message`, params: { connectionId, method, params } });
      return { proxy, connectionId, call };
    }

    it("is initialised and called over its connection, with MCP errors as outer errors", async () => {
      const { proxy, connectionId, call } = await connected();
      await using _ = proxy;
      const initialized = await call("1", "initialize", { protocolVersion: "2025-11-25" });
      const note = { method: "notifications/initialized", params: null, connectionId };
      proxy.send({ method: successor, params: { method: `${prefix}mcp/message`, params: note } });
      const pong = await call("2", "tools/call", { name: "mcp_ping", arguments: { text: "hi" } });
      const unknown = await call("3", "tools/call", { name: "nope" });
      assert.match(
        JSON.stringify(initialized["result"]),
        /"protocolVersion":"2025-11-25","serverInfo":{"name":"pinger"/,
      );
      assert.deepEqual((await call("4", "ping", {}))["result"], {});
      assert.deepEqual(pong["result"], { content: [{ type: "text", text: "pong: hi" }] });
      assert.deepEqual(unknown["error"], { code: -32602, message: "Unknown tool: nope" });
      assert.equal(
        proxy.lines.some((line) => line.includes("notifications/initialized")),
        false,
      );
    });

    it("reports progress over the connection, and honours both ways to cancel", async () => {
      const { proxy, connectionId, call } = await connected();
      await using _ = proxy;
      const first = call("slow-1", "tools/call", { name: "mcp_slow", _meta: { progressToken: 1 } });
      const note = await proxy.message((message) => JSON.stringify(message).includes("notifications/progress"));
      const progress = { method: "notifications/progress", params: { progressToken: 1, progress: 1, total: 2 } };
      assert.deepEqual(
        [note["method"], note["params"]],
        [successor, { method: `${prefix}mcp/message`, params: { connectionId, ...progress } }],
      );
      proxy.send({ method: "$/cancel_request", params: { requestId: "slow-1" } });
      assert.equal(((await first)["error"] as Fields)["code"], -32800);
      const second = call("slow-2", "tools/call", { name: "mcp_slow" });
      const cancelled = { connectionId, method: "notifications/cancelled", params: { requestId: 1 } };
      proxy.send({ method: successor, params: { method: `${prefix}mcp/message`, params: cancelled } });
      assert.equal(((await second)["error"] as Fields)["code"], -32800);
    });

    it("ends running calls on disconnect, and passes later messages of that connection on", async () => {
      const { proxy, connectionId, call } = await connected();
      await using _ = proxy;
      const slow = call("slow", "tools/call", { name: "mcp_slow" });
      proxy.send({ method: successor, params: { method: `${prefix}mcp/disconnect`, params: { connectionId } } });
      assert.equal(((await slow)["error"] as Fields)["code"], -32800);
      proxy.send({
        id: "x",
        method: successor,
        params: { method: `${prefix}mcp/message`, params: { connectionId, method: "ping" } },
      });
      assert.ok(await proxy.message((message) => message["method"] === `${prefix}mcp/message`));
    });
  });
}
