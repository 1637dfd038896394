import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Logger } from "../../../src/base/logger.js";
import { ToolServer } from "../../../src/base/mcp/tool-server.js";
import { LoopbackMcpBridge } from "../../../src/base/node/mcp-bridge/loopback-bridge.js";
import { shimEnvironment } from "../../../src/base/node/mcp-bridge/stdio-joint.js";

interface HttpDeclaration {
  readonly url: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

describe("LoopbackMcpBridge", () => {
  let bridge: LoopbackMcpBridge;
  let cancelled: Promise<void>;

  const makeServer = (): ToolServer => {
    let onCancelled: () => void;
    cancelled = new Promise((resolve) => (onCancelled = resolve));
    return new ToolServer({
      name: "greeter",
      version: "1.2.3",
      instructions: "Greets.",
      tools: [
        {
          name: "greet",
          description: "Greets somebody.",
          inputSchema: { properties: { name: { type: "string" } }, required: ["name"] },
          call: (args, context) => {
            context.progress("half way", 1, 2);
            return Promise.resolve(`hello ${String(args["name"])}`);
          },
        },
        {
          name: "wait",
          description: "Waits to be cancelled.",
          inputSchema: {},
          call: (_args, context) =>
            new Promise((_resolve, reject) => {
              context.signal.addEventListener("abort", () => {
                onCancelled();
                reject(new Error("cancelled"));
              });
              context.progress("waiting");
            }),
        },
      ],
    });
  };

  const exposeHttp = async (): Promise<HttpDeclaration> => {
    const exposure = await bridge.expose(makeServer(), "http");
    return exposure.declaration.value as HttpDeclaration;
  };

  const post = async (
    target: HttpDeclaration,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> =>
    fetch(target.url, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        ...Object.fromEntries(target.headers.map(({ name, value }) => [name, value])),
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });

  const modernMeta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };

  beforeEach(() => {
    bridge = new LoopbackMcpBridge({ command: process.execPath, args: [], env: {} }, Logger.silent);
  });
  afterEach(async () => {
    await bridge[Symbol.asyncDispose]();
  });

  type Progress = { progress: number };
  const bearerOf = (target: HttpDeclaration): { headers: Record<string, string> } => ({
    headers: Object.fromEntries(target.headers.map(({ name, value }) => [name, value])),
  });
  /**
   * Visits of official clients, by protocol version. Each returns the server's identity, its tools, the result of a call and the call's
   * progress.
   */
  const visits: Record<string, (target: HttpDeclaration) => Promise<unknown[]>> = {
    "2025-11-25": async (target) => {
      const client = new OlderClient({ name: "test", version: "1" });
      await client.connect(new OlderTransport(new URL(target.url), { requestInit: bearerOf(target) }));
      const progress: Progress[] = [];
      const { tools } = await client.listTools();
      const onprogress = (update: Progress): void => void progress.push(update);
      const result = await client.callTool({ name: "greet", arguments: { name: "Ada" } }, undefined, { onprogress });
      const identity = client.getServerVersion();
      await client.close();
      return [identity, tools.map(({ name }) => name), result.content, progress];
    },
    "2026-07-28": async (target) => {
      const options = { versionNegotiation: { mode: { pin: "2026-07-28" } } } as const;
      const client = new ModernClient({ name: "test", version: "1" }, options);
      await client.connect(new ModernTransport(new URL(target.url), { requestInit: bearerOf(target) }));
      const progress: Progress[] = [];
      const { tools } = await client.listTools();
      const onprogress = (update: Progress): void => void progress.push(update);
      const result = await client.callTool({ name: "greet", arguments: { name: "Ada" } }, { onprogress });
      const identity = client.getServerVersion();
      await client.close();
      return [identity, tools.map(({ name }) => name), result.content, progress];
    },
  };
  for (const [revision, visit] of Object.entries(visits)) {
    it(`serves the official client of revision ${revision}: identity, tools, calls and progress`, async () => {
      assert.deepEqual(await visit(await exposeHttp()), [
        { name: "greeter", version: "1.2.3" },
        ["greet", "wait"],
        [{ type: "text", text: "hello Ada" }],
        [{ progress: 1, total: 2, message: "half way" }],
      ]);
    });
  }

  for (const version of ["2025-06-18", "2025-11-25"]) {
    it(`answers initialize in revision ${version} with that revision`, async () => {
      const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: "t", version: "1" } };
      const response = await post(await exposeHttp(), { jsonrpc: "2.0", id: 0, method: "initialize", params });
      assert.deepEqual(await response.json(), {
        jsonrpc: "2.0",
        id: 0,
        result: {
          protocolVersion: version,
          serverInfo: { name: "greeter", version: "1.2.3" },
          capabilities: { tools: {} },
          instructions: "Greets.",
        },
      });
    });
  }

  it("counters an unknown revision with its newest handshake revision instead of an error", async () => {
    const params = { protocolVersion: "1999-01-01", capabilities: {} };
    const response = await post(await exposeHttp(), { jsonrpc: "2.0", id: 1, method: "initialize", params });
    const body = (await response.json()) as { result: { protocolVersion: string } };
    assert.equal(body.result.protocolVersion, "2025-11-25");
  });

  it("accepts notifications with 202 and an empty body", async () => {
    const response = await post(await exposeHttp(), { jsonrpc: "2.0", method: "notifications/initialized" });
    assert.deepEqual([response.status, await response.text()], [202, ""]);
  });

  it("turns away callers without the token, with another server's token, from web pages and by rebound names", async () => {
    const target = await exposeHttp();
    const other = await exposeHttp();
    const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const statuses = [
      (await post({ ...target, headers: [] }, body)).status,
      (await post({ ...target, headers: other.headers }, body)).status,
      (await post(target, body, { Origin: "https://example.com" })).status,
      (await post({ ...target, url: `${target.url}x` }, body)).status,
      (await fetch(target.url, { headers: { Authorization: target.headers[0]?.value ?? "" } })).status,
    ];
    assert.deepEqual(statuses, [401, 401, 403, 404, 405]);
  });

  it("refuses what is not one JSON-RPC message", async () => {
    const target = await exposeHttp();
    const codes: unknown[] = [];
    for (const body of ["{", "[]", "1"]) {
      const response = await post(target, body);
      codes.push([response.status, ((await response.json()) as { error: { code: number } }).error.code]);
    }
    assert.deepEqual(codes, [
      [400, -32700],
      [400, -32600],
      [400, -32600],
    ]);
  });

  it("holds stateless calls to their headers and to a version it serves", async () => {
    const target = await exposeHttp();
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: modernMeta } };
    const headers = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list" };
    const codeOf = async (response: Response): Promise<unknown> => {
      const body = (await response.json()) as {
        error?: { code: number };
        result?: { resultType: string; ttlMs: number };
      };
      return [response.status, body.error?.code ?? body.result?.resultType];
    };
    const future = { ...modernMeta, "io.modelcontextprotocol/protocolVersion": "2030-01-01" };
    assert.deepEqual(
      [
        await codeOf(await post(target, list, headers)),
        await codeOf(await post(target, list, { ...headers, "Mcp-Method": "tools/call" })),
        await codeOf(await post(target, list)),
        await codeOf(
          await post(
            target,
            { ...list, params: { _meta: future } },
            { ...headers, "MCP-Protocol-Version": "2030-01-01" },
          ),
        ),
        await codeOf(await post(target, { ...list, params: {} }, headers)),
      ],
      [
        [200, "complete"],
        [400, -32020],
        [400, -32020],
        [400, -32022],
        [400, -32602],
      ],
    );
  });

  it("cancels a stateless call when its caller leaves", async () => {
    const target = await exposeHttp();
    const caller = new AbortController();
    const params = { name: "wait", arguments: {}, _meta: { ...modernMeta, progressToken: "p" } };
    const response = await fetch(target.url, {
      method: "POST",
      signal: caller.signal,
      headers: {
        Authorization: target.headers[0]?.value ?? "",
        Accept: "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "wait",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });
    const reader = response.body?.getReader();
    await reader?.read();
    caller.abort();
    await cancelled;
  });

  it("cancels a call of the handshake era by notification", async () => {
    const target = await exposeHttp();
    const params = { name: "wait", arguments: {} };
    const running = post(target, { jsonrpc: "2.0", id: 7, method: "tools/call", params });
    const response = await running;
    await post(target, { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } });
    await cancelled;
    assert.doesNotMatch(await response.text(), /"id":7/);
  });

  it("cancels what runs, and answers no more, once the session is over", async () => {
    const exposure = await bridge.expose(makeServer(), "http");
    const target = exposure.declaration.value as HttpDeclaration;
    const running = await post(target, { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "wait" } });
    await exposure[Symbol.asyncDispose]();
    await cancelled;
    await running.text();
    assert.equal((await post(target, { jsonrpc: "2.0", id: 2, method: "tools/list" })).status, 404);
  });

  describe("over the stdio shim", () => {
    let shim: ChildProcess;

    const start = async (token?: string): Promise<AsyncIterableIterator<string>> => {
      const exposure = await bridge.expose(makeServer(), "stdio");
      const entry = exposure.declaration.value as { args: string[]; env: { name: string; value: string }[] };
      assert.deepEqual(entry.args, ["mcp-shim"]);
      const env = Object.fromEntries(entry.env.map(({ name, value }) => [name, value]));
      if (token !== undefined) env[shimEnvironment.token] = token;
      const module = new URL("../../../src/base/node/mcp-bridge/stdio-joint.js", import.meta.url).href;
      const code = `import(${JSON.stringify(module)}).then((m) => m.runStdioShim(process.env)).then(() => process.exit(0), () => process.exit(3))`;
      shim = spawn(process.execPath, ["-e", code], {
        env: { ...process.env, ...env },
        stdio: ["pipe", "pipe", "inherit"],
      });
      assert.ok(shim.stdout);
      return createInterface({ input: shim.stdout })[Symbol.asyncIterator]();
    };
    const say = (message: unknown): void => void shim.stdin?.write(`${JSON.stringify(message)}\n`);
    const exited = (): Promise<number | null> => new Promise((resolve) => shim.once("exit", resolve));
    afterEach(() => shim.kill("SIGKILL"));

    it("serves both eras on one pipe and ends with its input", async () => {
      const lines = await start();
      say({ jsonrpc: "2.0", id: "probe", method: "server/discover", params: { _meta: modernMeta } });
      const discovered = JSON.parse((await lines.next()).value as string) as {
        result: { supportedVersions: string[] };
      };
      say({ jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: "2025-06-18" } });
      const initialized = JSON.parse((await lines.next()).value as string) as { result: { protocolVersion: string } };
      say({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "greet", arguments: { name: "Bo" } } });
      const called = JSON.parse((await lines.next()).value as string) as { result: { content: { text: string }[] } };
      const exit = exited();
      shim.stdin?.end();
      assert.deepEqual(
        [
          discovered.result.supportedVersions,
          initialized.result.protocolVersion,
          called.result.content[0]?.text,
          await exit,
        ],
        [["2026-07-28"], "2025-06-18", "hello Bo", 0],
      );
    });

    it("ends when nobody reads its answers any more", async () => {
      await start();
      const exit = exited();
      shim.stdout?.destroy();
      say({ jsonrpc: "2.0", id: 1, method: "ping" });
      assert.equal(await exit, 0);
    });

    it("is refused with a wrong token", async () => {
      await start("guessed");
      assert.equal(await exited(), 3);
    });
  });
});
