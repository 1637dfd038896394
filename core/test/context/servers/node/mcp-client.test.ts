import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { realpath } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { Logger } from "../../../../src/base/logger.js";
import { SymposiumError } from "../../../../src/base/symposium-error.js";
import type { McpConnection } from "../../../../src/base/mcp/mcp-client-contract.js";
import type { McpServerEntry } from "../../../../src/base/mcp/mcp-server-entry.js";
import { McpError } from "../../../../src/base/mcp/mcp-server.js";
import { startProcess } from "../../../../src/base/node/child-component.js";
import { McpClient } from "../../../../src/context/servers/node/mcp-client.js";
import { Watchdog } from "../../../../src/base/node/orphan-watchdog.js";
import { Outcome } from "../../../../src/base/rpc/message.js";
import { RpcError } from "../../../../src/base/rpc/rpc-error.js";
import { RecordingPeer } from "../../../../testing/recording-peer.js";
import { EndlessServer } from "./endless-server.js";
import { McpHttpServer } from "./mcp-http-server.js";
import { awaitEnd, killAll } from "../../../base/node/surviving-processes.js";

const serverFile = fileURLToPath(new URL("./mcp-stdio-server.js", import.meta.url));
const never = new AbortController().signal;

function stdio(kind: string): McpServerEntry {
  const args = [serverFile, kind];
  return { type: "stdio", name: "fixture", command: process.execPath, args, env: { FIXTURE: "set" } };
}

describe("McpClient", function () {
  this.timeout(60_000);

  const watchdog = new Watchdog();
  const started: number[] = [];
  after(() => watchdog[Symbol.dispose]());
  afterEach("no server survives its connection", async () => {
    const survivors = await awaitEnd(started.splice(0));
    killAll(survivors);
    assert.deepEqual(survivors, []);
  });

  function connect(
    entry: McpServerEntry,
    client = new RecordingPeer(),
    connectTimeoutMs = 20_000,
  ): Promise<McpConnection> {
    const mcp = newClient(connectTimeoutMs);
    return mcp.connect(entry, { client, cwd: tmpdir(), signal: never });
  }

  function newClient(connectTimeoutMs: number): McpClient {
    const start = startProcess({ logger: Logger.silent, watchdog, graceMs: 500, terminationMs: 300 });
    return new McpClient({
      clientInfo: { name: "test", version: "1" },
      startProcess: (...command) => {
        const process = start(...command);
        if (process.pid !== undefined) started.push(process.pid);
        return process;
      },
      connectTimeoutMs,
      maxMessageBytes: 100_000,
    });
  }

  async function textOf(connection: McpConnection, tool: string, args = {}): Promise<unknown> {
    return (await connection.callTool(tool, args, never)).content[0]?.["text"];
  }

  for (const [kind, era] of [
    ["both", "legacy"],
    ["modern", "modern"],
  ] as const) {
    it(`calls tools of a stdio server that serves ${kind}, with its environment, in the session's folder`, async () => {
      await using connection = await connect(stdio(kind));
      assert.deepEqual(await textOf(connection, "era"), `${era} set ${await realpath(tmpdir())}`);
      assert.deepEqual(await connection.callTool("echo", { text: "hi" }, never), {
        content: [{ type: "text", text: "hi" }],
        isError: false,
      });
      const tools = await connection.listTools(never);
      assert.deepEqual(tools[0], { name: "era", description: "Names the era and the environment" });
      assert.deepEqual(
        tools.map((tool) => tool.name),
        ["era", "echo", "crash", "child", "wait"],
      );
    });
  }

  it("says how a stdio server ended that does not come up, with what it wrote", async () => {
    await assert.rejects(connect(stdio("exit")), (error) => {
      assert.ok(error instanceof SymposiumError);
      assert.equal(error.code, "component-exited");
      assert.match(error.message, /^MCP server "fixture" exited with code 3\. It wrote: the licence has expired/);
      return true;
    });
  });

  it("says that a program does not exist", async () => {
    const entry: McpServerEntry = { type: "stdio", name: "gone", command: "no-such-program-here", args: [], env: {} };
    await assert.rejects(connect(entry), (error) => {
      assert.ok(error instanceof SymposiumError);
      assert.equal(error.code, "component-start-failed");
      assert.equal(error.message, 'MCP server "gone" could not be started (ENOENT).');
      assert.match(error.hint ?? "", /"no-such-program-here" is not on PATH/);
      return true;
    });
  });

  it("gives up on a server that never answers, and ends it", async () => {
    await assert.rejects(
      connect(stdio("silent"), undefined, 300),
      /MCP server "fixture" .* cannot be used: .*timed out/,
    );
  });

  it("says how a server ended in the middle of a call", async () => {
    await using connection = await connect(stdio("both"));
    await assert.rejects(connection.callTool("crash", {}, never), /exited with code 5\. It wrote: out of tea/);
  });

  it("ends a stdio server together with what it has started", async () => {
    const connection = await connect(stdio("both"));
    const pid = Number(await textOf(connection, "child"));
    await connection[Symbol.asyncDispose]();
    const survivors = await awaitEnd([pid]);
    killAll(survivors);
    assert.deepEqual(survivors, []);
  });

  it("gives up a call that is cancelled, and goes on", async () => {
    await using connection = await connect(stdio("both"));
    const abort = new AbortController();
    const call = connection.callTool("wait", {}, abort.signal);
    abort.abort();
    await assert.rejects(call);
    assert.equal(await textOf(connection, "echo", { text: "still here" }), "still here");
  });

  for (const era of ["modern", "legacy"] as const) {
    it(`calls tools of a ${era} http server and sends it the entry's headers`, async () => {
      await using server = await McpHttpServer[era]();
      const headers = { Authorization: "Bearer secret" };
      const connection = await connect({ type: "http", name: "web", url: server.url, headers });
      assert.equal(await textOf(connection, "era"), era);
      assert.deepEqual(
        (await connection.listTools(never)).map((tool) => tool.name),
        ["era"],
      );
      await connection[Symbol.asyncDispose]();
      assert.deepEqual(new Set(server.seen.map((request) => request.authorization)), new Set(["Bearer secret"]));
      assert.equal(server.seen.at(-1)?.method === "DELETE", era === "legacy");
    });
  }

  it("calls tools of an sse server", async () => {
    await using server = await McpHttpServer.sse();
    await using connection = await connect({ type: "sse", name: "old", url: server.url, headers: {} });
    assert.equal(await textOf(connection, "era"), "sse");
  });

  it("says why an http server cannot be reached", async () => {
    const server = await McpHttpServer.modern();
    const { url } = server;
    await server[Symbol.asyncDispose]();
    await assert.rejects(connect({ type: "http", name: "web", url, headers: {} }), (error) => {
      assert.ok(error instanceof SymposiumError);
      assert.match(error.message, new RegExp(`^MCP server "web" \\(${url}\\) cannot be used: .*ECONNREFUSED`));
      return true;
    });
  });

  for (const type of ["http", "sse"] as const) {
    it(`repeats no password of an address, over ${type}`, async () => {
      let url: string;
      {
        await using server = await (type === "sse" ? McpHttpServer.sse() : McpHttpServer.legacy());
        url = server.url.replace("//", "//jo:hunter2@");
        await using _connection = await connect({ type, name: "web", url, headers: {} });
        assert.equal(server.seen[0]?.authorization, `Basic ${Buffer.from("jo:hunter2").toString("base64")}`);
      }
      await assert.rejects(connect({ type, name: "web", url, headers: {} }), (error) => {
        assert.ok(error instanceof SymposiumError);
        assert.match(error.message, /^MCP server "web" \(http:\/\/127\.0\.0\.1:\d+\/mcp\) cannot be used: /);
        assert.doesNotMatch(inspect(error, { depth: 9 }), /hunter2|am86aHVudGVyMg/);
        return true;
      });
    });
  }

  for (const [how, reason] of [
    ["line", /it sent a message of more than 100000 bytes/],
    ["event", /it sent a message of more than 100000 bytes/],
    ["events", /it sends unrequested messages/],
    ["answer", /it sent a message of more than 100000 bytes/],
  ] as const) {
    it(`gives up an http server that sends ${how === "events" ? "" : "one "}${how} without end`, async () => {
      await using server = await EndlessServer.start(how);
      const ended = new Promise<Error>((resolve) => {
        const plan = { name: "web", launch: { type: "http" as const, url: server.url, headers: {} } };
        newClient(20_000)
          .open(plan, { notified: () => undefined, ended: resolve }, never)
          .then((live) => live.call("tools/call", { name: "more" }, { signal: never, notify: () => undefined }))
          .catch((error: unknown) => resolve(error as Error));
      });
      assert.match((await ended).message, reason);
      await server.leftAlone;
    });
  }

  it("hands a server's own error on as it was", async () => {
    await using server = await McpHttpServer.modern();
    await using connection = await connect({ type: "http", name: "web", url: server.url, headers: {} });
    await assert.rejects(connection.callTool("nope", {}, never), (error) => {
      assert.ok(error instanceof McpError);
      assert.equal(error.code, -32602);
      return true;
    });
  });

  it("calls a server over ACP with one stateless mcp/message request", async () => {
    const client = new RecordingPeer({ "mcp/message": { result: { content: [{ type: "text", text: "hi" }] } } });
    await using connection = await connect({ type: "acp", name: "native", serverId: "s:1" }, client);
    assert.deepEqual(await connection.callTool("echo", { text: "hi" }, never), {
      content: [{ type: "text", text: "hi" }],
      isError: false,
    });
    const { requestId, ...params } = client.received[0]?.params?.object ?? {};
    assert.equal(typeof requestId, "string");
    assert.deepEqual(params, {
      serverId: "s:1",
      method: "tools/call",
      params: {
        name: "echo",
        arguments: { text: "hi" },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    });
  });

  it("rejects with the error of a server over ACP, or of the way to it", async () => {
    const inner = new RecordingPeer({ "mcp/message": { error: { code: -32602, message: "Unknown tool", data: 7 } } });
    const gone = new RpcError(-33001, "MCP server registration unavailable");
    const outer = new RecordingPeer({ "mcp/message": Outcome.error(gone) });
    const errors = [inner, outer].map(async (client) => {
      const connection = await connect({ type: "acp", name: "native", serverId: "s:1" }, client);
      const error: unknown = await connection.callTool("x", {}, never).catch((thrown: unknown) => thrown);
      assert.ok(error instanceof McpError);
      return [error.code, error.message, error.data];
    });
    assert.deepEqual(await Promise.all(errors), [
      [-32602, "Unknown tool", 7],
      [-33001, "MCP server registration unavailable", undefined],
    ]);
  });

  it("asks a server over ACP for all pages of its tools, and cancels what is given up", async () => {
    const client = new RecordingPeer({
      "mcp/message": (request) => {
        const inner = request.params?.object as { method: string; params: { cursor?: string } };
        if (inner.method !== "tools/list") return undefined;
        const { cursor } = inner.params;
        return { result: cursor === "2" ? { tools: [{ name: "b" }] } : { tools: [{ name: "a" }], nextCursor: "2" } };
      },
    });
    await using connection = await connect({ type: "acp", name: "native", serverId: "s:1" }, client);
    assert.deepEqual(
      (await connection.listTools(never)).map((tool) => tool.name),
      ["a", "b"],
    );
    const abort = new AbortController();
    void connection.callTool("wait", {}, abort.signal).catch(() => undefined);
    abort.abort();
    await client.waitFor("mcp/message", "cancel");
  });
});
