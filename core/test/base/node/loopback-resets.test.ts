import assert from "node:assert/strict";
import { Logger } from "../../../src/base/logger.js";
import { ToolServer } from "../../../src/base/mcp/tool-server.js";
import { LoopbackMcpBridge } from "../../../src/base/node/mcp-bridge/loopback-bridge.js";
import { OpenAiServer } from "../../../src/models/openai/node/openai-server.js";
import { type Exchange, resetAtEveryStep } from "../../../testing/node/resets.js";
import { authorized, NetworkStage } from "../../sessions/host/node/network/network-stage.js";

/** A request as a client writes it. */
function http(start: string, headers: Readonly<Record<string, string>>, body = ""): string {
  const lines = Object.entries({ Host: "127.0.0.1", ...headers }).map(([name, value]) => `${name}: ${value}`);
  if (body !== "") lines.push(`Content-Length: ${body.length}`);
  return `${[`${start} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n${body}`;
}

/** Requests that any program can send to a listener without knowing its protocol. */
const strangers: Readonly<Record<string, Exchange>> = {
  "no HTTP": { sent: "\u0016\u0003\u0001\n\u0000\n", isAnswered: true },
  "a tunnel": { sent: http("CONNECT 127.0.0.1:1", {}), isAnswered: false },
  "another protocol": { sent: http("GET /", { Connection: "Upgrade", Upgrade: "other" }), isAnswered: true },
  "a body in broken chunks": {
    sent: http("POST /", { "Transfer-Encoding": "chunked" }, "2\r\nab\r\nx\r\n\r\n"),
    isAnswered: true,
  },
  "a body that is announced only after the answer": {
    sent: http("POST /", { Expect: "100-continue", "Content-Length": "9" }),
    isAnswered: true,
  },
};

async function resetAll(port: number, exchanges: Readonly<Record<string, Exchange>>): Promise<void> {
  for (const [name, exchange] of Object.entries(exchanges)) {
    assert.ok((await resetAtEveryStep(port, exchange)) > 3, name);
  }
}

describe("a listener whose clients reset their connections at every step", function () {
  this.timeout(60_000);
  const logger = Logger.silent;

  it("goes on: the MCP bridge", async () => {
    const server = new ToolServer({
      name: "tools",
      version: "1",
      tools: [
        { name: "echo", description: "Echoes.", inputSchema: {}, call: () => Promise.resolve("echo") },
        {
          name: "wait",
          description: "Waits to be cancelled.",
          inputSchema: {},
          call: (_args, context) => {
            context.progress("waiting");
            return new Promise((resolve) => context.signal.addEventListener("abort", () => resolve("cancelled")));
          },
        },
      ],
    });
    const announcing = Object.assign(server, { subscribe: () => ({ [Symbol.dispose]: () => undefined }) });
    await using bridge = new LoopbackMcpBridge({ command: "node", args: [], env: {} }, logger);
    const { declaration } = await bridge.expose(announcing, "http");
    const { url, headers } = declaration.value as { url: string; headers: { value: string }[] };
    const { port, pathname } = new URL(url);
    const Authorization = headers[0]?.value ?? "";
    const accept = { Authorization, Accept: "text/event-stream" };
    const join = { Connection: "Upgrade", Upgrade: "symposium-mcp", Authorization };
    const ask = (id: number, method: string, name?: string): string =>
      JSON.stringify({ jsonrpc: "2.0", id, method, params: name === undefined ? {} : { name } });
    await resetAll(Number(port), {
      ...strangers,
      "a call": { sent: http(`POST ${pathname}`, { Authorization }, ask(1, "tools/list")), isAnswered: true },
      "a call that streams": { sent: http(`POST ${pathname}`, accept, ask(1, "tools/call", "wait")), isAnswered: true },
      "a stream of announcements": { sent: http(`GET ${pathname}`, accept), isAnswered: true },
      "no token": { sent: http(`POST ${pathname}`, {}, ask(1, "tools/list")), isAnswered: true },
      "no JSON": { sent: http(`POST ${pathname}`, { Authorization }, "{\n"), isAnswered: true },
      "lines without a token": {
        sent: http(`GET ${pathname}`, { ...join, Authorization: "Bearer guessed" }),
        isAnswered: true,
      },
      "lines at an unknown path": { sent: http("GET /mcp/x", join), isAnswered: true },
      "lines in another protocol": { sent: http(`GET ${pathname}`, { ...join, Upgrade: "h2c" }), isAnswered: true },
      lines: {
        sent: `${http(`GET ${pathname}`, join)}${ask(1, "initialize")}\n${ask(2, "tools/call", "wait")}\n{\n`,
        isAnswered: true,
      },
    });
    const answer = await fetch(url, { method: "POST", headers: { Authorization }, body: ask(1, "tools/call", "echo") });
    assert.deepEqual(await answer.json(), {
      jsonrpc: "2.0",
      id: 1,
      result: { content: [{ type: "text", text: "echo" }] },
    });
  });

  it("goes on: serve-openai", async () => {
    const model = { id: "a", name: "A", open: () => Promise.reject(new Error("not to be opened")) };
    await using server = new OpenAiServer({
      service: {
        models: [model],
        answer: async (_request, sink, signal) => {
          sink.content("begun");
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          throw new Error("the client has left");
        },
      },
      token: "token",
      logger,
    });
    const port = await server.listen(0);
    const Authorization = "Bearer token";
    const ask = (stream: boolean): string =>
      JSON.stringify({ model: "a", stream, messages: [{ role: "user", content: "x" }], input: "x" });
    await resetAll(port, {
      ...strangers,
      "the models": { sent: http("GET /v1/models", { Authorization }), isAnswered: true },
      "no token": { sent: http("GET /v1/models", {}), isAnswered: true },
      "no JSON": { sent: http("POST /v1/responses", { Authorization }, "{\n"), isAnswered: true },
      "a completion": { sent: http("POST /v1/chat/completions", { Authorization }, ask(false)), isAnswered: false },
      "a completion that streams": {
        sent: http("POST /v1/chat/completions", { Authorization }, ask(true)),
        isAnswered: true,
      },
      "a response that streams": { sent: http("POST /v1/responses", { Authorization }, ask(true)), isAnswered: true },
    });
    const answer = await fetch(`http://127.0.0.1:${port}/v1/models`, { headers: { Authorization } });
    assert.equal(answer.status, 200);
  });

  it("goes on: the host's listener", async () => {
    await using stage = await NetworkStage.open({ maxClients: 1_000, goneMs: 20 });
    const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`;
    const json = { ...authorized, "Content-Type": "application/json" };
    const join = {
      ...{ ...authorized, Connection: "Upgrade", Upgrade: "websocket" },
      ...{ "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==" },
    };
    const lasting = await stage.post(initialize);
    const id = { "Acp-Connection-Id": lasting.headers.get("acp-connection-id") ?? "" };
    await using _stream = await openStream(stage, id);
    await resetAll(stage.port, {
      ...strangers,
      "a first request": { sent: http("POST /acp", json, initialize), isAnswered: true },
      "a message": {
        sent: http("POST /acp", { ...json, ...id }, `{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}`),
        isAnswered: true,
      },
      "a session's stream": {
        sent: http("GET /acp", { ...authorized, ...id, Accept: "text/event-stream", "Acp-Session-Id": "s1" }),
        isAnswered: false,
      },
      "no token": { sent: http("POST /acp", { "Content-Type": "application/json" }, initialize), isAnswered: true },
      "no JSON": { sent: http("POST /acp", json, "{\n"), isAnswered: true },
      "a WebSocket without a token": { sent: http("GET /acp", { ...join, Authorization: "" }), isAnswered: true },
      "a WebSocket of another version": {
        sent: http("GET /acp", { ...join, "Sec-WebSocket-Version": "7" }),
        isAnswered: true,
      },
      "a WebSocket": {
        sent: Buffer.concat([Buffer.from(http("GET /acp", join)), ...frames(initialize)]),
        isAnswered: true,
      },
    });
    await stage.hasClients(1);
    const answer = await stage.post(`{"jsonrpc":"2.0","id":3,"method":"session/list","params":{}}`, id);
    assert.deepEqual([answer.status, stage.host.host.clientCount], [202, 1]);
  });
});

/** Opens the connection's event stream, so that the listener doesn't disconnect it. */
async function openStream(stage: NetworkStage, id: Readonly<Record<string, string>>): Promise<AsyncDisposable> {
  const left = new AbortController();
  await fetch(stage.url, { headers: { ...authorized, ...id, Accept: "text/event-stream" }, signal: left.signal });
  return {
    [Symbol.asyncDispose]: () => {
      left.abort();
      return Promise.resolve();
    },
  };
}

/** WebSocket frames of a client (RFC 6455): a text, a ping, half a text, and one with reserved bits. */
function frames(text: string): Buffer[] {
  const frame = (first: number, payload: string): Buffer =>
    Buffer.concat([Buffer.from([first, 0x80 | payload.length, 0, 0, 0, 0]), Buffer.from(payload)]);
  return [frame(0x81, text), frame(0x89, "\n"), frame(0x01, "half\n"), frame(0xf1, "no\n")];
}
