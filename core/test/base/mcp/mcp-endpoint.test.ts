import assert from "node:assert/strict";
import { McpEndpoint } from "../../../src/base/mcp/mcp-endpoint.js";
import {
  type McpCallContext,
  mcpError,
  type McpOutcome,
  mcpResult,
  type McpServer,
} from "../../../src/base/mcp/mcp-server.js";
import { Json } from "../../../src/base/rpc/json.js";

const version = "io.modelcontextprotocol/protocolVersion";
const capabilities = "io.modelcontextprotocol/clientCapabilities";
const stateless = { _meta: { [version]: "2026-07-28", [capabilities]: {} } };

type Call = (method: string, params: Json | undefined, context: McpCallContext) => Promise<McpOutcome>;

class Client {
  readonly sent: string[] = [];
  readonly controller = new AbortController();
  readonly endpoint: McpEndpoint;

  constructor(call: Call) {
    const server: McpServer = {
      name: "test",
      describe: () => Promise.resolve({ serverInfo: { name: "test", version: "1" }, capabilities: { tools: {} } }),
      call,
    };
    this.endpoint = new McpEndpoint(server);
  }

  async ask(method: string, params?: unknown, id: string | undefined = "1"): Promise<unknown> {
    const { signal } = this.controller;
    const send = (line: string): void => void this.sent.push(line);
    const json = params === undefined ? undefined : Json.of(params);
    const answer = await this.endpoint.handle({ method, params: json, id, signal, send });
    return answer && [answer.httpStatus, answer.outcome.isError ? "error" : "result", answer.outcome.json.value];
  }

  async notify(method: string, params: unknown): Promise<unknown> {
    const { signal } = this.controller;
    return this.endpoint.handle({ method, params: Json.of(params), id: undefined, signal, send: () => undefined });
  }
}

const answering =
  (outcome: McpOutcome): Call =>
  () =>
    Promise.resolve(outcome);
const untilAborted: Call = (_method, _params, { signal }) =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(mcpResult("late")), { once: true }));

describe("McpEndpoint", () => {
  it("says to the server who asks, in both eras", async () => {
    const names: unknown[] = [];
    const client = new Client((_method, _params, { clientName }) => {
      names.push(clientName);
      return Promise.resolve(mcpResult({}));
    });
    await client.ask("tools/list");
    await client.ask("initialize", { protocolVersion: "2025-11-25", clientInfo: { name: "older", version: "1" } });
    await client.ask("tools/list");
    const _meta = { ...stateless._meta, "io.modelcontextprotocol/clientInfo": { name: "newer", version: "1" } };
    await client.ask("tools/list", { _meta });
    assert.deepEqual(names, [undefined, "older", "newer"]);
  });
});

describe("McpEndpoint before clients of the handshake era", () => {
  it("takes structured content away that had to be an object then, and nothing else", async () => {
    const structured = (structuredContent: unknown): unknown =>
      new Client(answering(mcpResult({ content: [], structuredContent }))).ask("tools/call", {});
    assert.deepEqual(await Promise.all([structured([1]), structured("text"), structured({ a: 1 })]), [
      [200, "result", { content: [] }],
      [200, "result", { content: [] }],
      [200, "result", { content: [], structuredContent: { a: 1 } }],
    ]);
  });

  it("makes a failed tool call of a request for input", async () => {
    const client = new Client(answering(mcpResult({ resultType: "input_required", inputRequests: {} })));
    const text = "The tool asks for further input, which this client's MCP version does not support.";
    assert.deepEqual(await client.ask("tools/call", {}), [
      200,
      "result",
      { content: [{ type: "text", text }], isError: true },
    ]);
  });

  it("answers ping and logging/setLevel itself and knows no server/discover", async () => {
    const client = new Client(() => assert.fail("the server is not asked"));
    assert.deepEqual(
      await Promise.all(["ping", "logging/setLevel", "server/discover"].map((method) => client.ask(method))),
      [
        [200, "result", {}],
        [200, "result", {}],
        [200, "error", { code: -32601, message: "Method not found: server/discover" }],
      ],
    );
  });
});

describe("McpEndpoint before stateless clients", () => {
  it("completes results as the revision wants them, keeping what the server said", async () => {
    const client = new Client(() => Promise.resolve(mcpResult({ a: 1, ttlMs: 5 })));
    assert.deepEqual(
      [await client.ask("tools/list", stateless), await client.ask("tools/call", stateless)],
      [
        [200, "result", { a: 1, ttlMs: 5, resultType: "complete", cacheScope: "private" }],
        [200, "result", { a: 1, ttlMs: 5, resultType: "complete" }],
      ],
    );
  });

  it("leaves requests for input as they are", async () => {
    const result = { resultType: "input_required", inputRequests: {} };
    assert.deepEqual(await new Client(answering(mcpResult(result))).ask("tools/call", stateless), [
      200,
      "result",
      result,
    ]);
  });

  it("says by status that a method is unknown, and by -32602 what the envelope lacks", async () => {
    const client = new Client(answering(mcpError(-32601, "unknown")));
    assert.deepEqual(
      await Promise.all([
        client.ask("x", stateless),
        client.ask("initialize", stateless),
        client.ask("x", { _meta: { [version]: "2026-07-28" } }),
        client.ask("x", { _meta: { [version]: 1 } }),
      ]),
      [
        [404, "error", { code: -32601, message: "unknown" }],
        [404, "error", { code: -32601, message: "Method not found: initialize" }],
        [
          400,
          "error",
          {
            code: -32602,
            message: `_meta needs an object "${capabilities}"`,
            data: { envelope: { missing: [capabilities] } },
          },
        ],
        [
          400,
          "error",
          {
            code: -32022,
            message: "Unsupported protocol version: 1",
            data: { supported: ["2026-07-28"], requested: 1 },
          },
        ],
      ],
    );
  });

  it("acknowledges a subscription and keeps it until its caller leaves", async () => {
    const client = new Client(untilAborted);
    const listening = client.ask("subscriptions/listen", stateless, '"s"');
    await Promise.resolve();
    const acknowledged = [...client.sent];
    client.controller.abort();
    assert.deepEqual(
      [acknowledged, await listening],
      [
        [
          '{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"s"},"notifications":{}}}',
        ],
        undefined,
      ],
    );
  });
});

describe("McpEndpoint before any client", () => {
  it("makes an internal error of a server that fails", async () => {
    const client = new Client(() => Promise.reject(new Error("a defect")));
    assert.deepEqual(await client.ask("tools/list"), [200, "error", { code: -32603, message: "a defect" }]);
  });

  it("cancels the request that a notification names, and answers it no more", async () => {
    const client = new Client(untilAborted);
    let isAnswered = false;
    const other = client.ask("tools/call", {}, "2").then(() => (isAnswered = true));
    const asked = client.ask("tools/call", {}, '"1"');
    await client.notify("notifications/cancelled", { requestId: "1" });
    await client.notify("notifications/cancelled", { requestId: 3 });
    assert.deepEqual([await asked, isAnswered], [undefined, false]);
    client.endpoint[Symbol.dispose]();
    await other;
  });

  it("sends no notification of a call that was given up", async () => {
    let context: McpCallContext | undefined;
    const client = new Client((...call) => {
      context = call[2];
      return untilAborted(...call);
    });
    const asked = client.ask("tools/call", {});
    context?.notify("notifications/progress", Json.of({ progress: 1 }));
    client.controller.abort();
    context?.notify("notifications/progress", Json.of({ progress: 2 }));
    await asked;
    assert.deepEqual(client.sent, ['{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}']);
  });

  it("gives up at once what comes from a caller that has gone", async () => {
    let wasAborted: boolean | undefined;
    const client = new Client((_method, _params, { signal }) => {
      wasAborted = signal.aborted;
      return Promise.resolve(mcpResult({}));
    });
    client.controller.abort();
    assert.deepEqual([await client.ask("tools/call", {}), wasAborted], [undefined, true]);
  });
});
