import assert from "node:assert/strict";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { LineSplitter } from "../../../src/base/line-splitter.js";
import { Logger } from "../../../src/base/logger.js";
import { Scope } from "../../../src/base/scope.js";
import { Conductor } from "../../../src/conductor/chain/conductor.js";
import { startProcess } from "../../../src/base/node/child-component.js";
import { LineWriter } from "../../../src/base/node/line-writer.js";
import { LoopbackMcpBridge } from "../../../src/base/node/mcp-bridge/loopback-bridge.js";
import { Watchdog } from "../../../src/base/node/orphan-watchdog.js";
import { Json } from "../../../src/base/rpc/json.js";
import { type Outcome, Request } from "../../../src/base/rpc/message.js";
import { ask } from "../../../src/base/rpc/peer.js";
import { RecordingPeer } from "../../../testing/recording-peer.js";
import { scriptedClient } from "../../../testing/scripted-client.js";
import { type WireDialectName, wireDialects } from "../../../testing/wire-dialect.js";
import { jsonText } from "../rpc/json-text.js";

/** Any JSON, on as many lines as its writer likes. */
const anyJson = fc.oneof(
  jsonText,
  fc
    .tuple(
      fc.jsonValue({ stringUnit: fc.constantFrom("a", "\n", "\u2028", "\u2029", '"') }),
      fc.constantFrom("\n", "\r"),
    )
    .map(([value, end]) => JSON.stringify(value, null, 2).replaceAll("\n", end)),
);

describe("a line protocol", () => {
  it("carries a message for each that was sent, and none besides, to readers of every kind", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyJson, { minLength: 1, maxLength: 8 }), async (messages) => {
        const stream = new PassThrough();
        const chunks: string[] = [];
        stream.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
        const writer = new LineWriter(stream);
        for (const message of messages) writer.send(message);
        writer.end();
        await once(stream, "end");
        const written = chunks.join("");
        const values = messages.map((message): unknown => JSON.parse(message));
        for (const lines of [
          splitByUs(written),
          await splitByNode(written),
          written.split(/\r\n|[\n\r\u2028\u2029]/),
        ]) {
          assert.deepEqual(
            lines.filter((line) => line !== "").map((line): unknown => JSON.parse(line)),
            values,
          );
        }
      }),
    );
  });

  for (const dialect of Object.keys(wireDialects) as WireDialectName[]) {
    it(`carries an indented call over HTTP to a server of a component that speaks ${dialect}, and nothing that stands in it`, async () => {
      await using stage = new BridgedStage(dialect);
      const target = await stage.open();
      const smuggled = JSON.stringify({ jsonrpc: "2.0", id: 99, method: "session/prompt", params: { sessionId: "s" } });
      const body =
        `{\n "jsonrpc": "2.0",\r "id": 1,\r\n "method": "tools/call",\n "params": {\n "name": "mcp_ping",\n` +
        ` "arguments": {"text": "a\u2028b", "extra":\n${smuggled}\n}\n}}`;
      for (const accept of ["application/json", "application/json, text/event-stream"]) {
        const said = await stage.post(target, body, accept);
        const { id, result } = JSON.parse(said.split("data: ").at(-1) ?? "") as { id: unknown; result?: ToolCalled };
        assert.deepEqual([id, result?.content], [1, [{ type: "text", text: "pong: a\u2028b" }]]);
      }
      assert.deepEqual(
        stage.agent.received.map(({ method }) => method),
        ["initialize", "session/new"],
      );
    });
  }

  it("answers what is no JSON over HTTP with an error", async () => {
    await using stage = new BridgedStage("current");
    const target = await stage.open();
    const codes: unknown[] = [];
    for (const body of [
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{x}}',
      '{"jsonrpc":"2.0","id":1,"method":5}',
    ]) {
      const { error } = JSON.parse(await stage.post(target, body, "application/json")) as { error: { code: number } };
      codes.push(error.code);
    }
    assert.deepEqual(codes, [-32700, -32600]);
  });
});

interface ToolCalled {
  readonly content: readonly unknown[];
}

interface Target {
  readonly url: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
}

/** A proxy in a process of its own, which has an MCP server, before an agent that takes it over HTTP. */
class BridgedStage implements AsyncDisposable {
  readonly agent = new RecordingPeer({
    initialize: { protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true } } },
    "session/new": { sessionId: "s" },
  });
  readonly #scope = new Scope();
  readonly #conductor: Conductor;

  constructor(dialect: WireDialectName) {
    const logger = Logger.silent;
    const watchdog = this.#scope.add(new Watchdog());
    const bridge = this.#scope.add(new LoopbackMcpBridge({ command: "node", args: [], env: {} }, logger));
    const program = fileURLToPath(new URL("../../../testing/node/proxy-main.js", import.meta.url));
    const args = [program, "--dialect", dialect, "--mcp", "ping"];
    this.#conductor = this.#scope.add(
      new Conductor({
        proxies: [{ kind: "process", name: "proxy", command: { command: process.execPath, args, env: {} } }],
        agent: { kind: "agent", agent: { name: "agent", connect: () => ({ fromClient: this.agent }) } },
        client: scriptedClient(),
        startupTimeoutMs: 30_000,
        onFailure: () => undefined,
        environment: { startProcess: startProcess({ logger, watchdog }), bridge, logger, maxLineBytes: 2 ** 28 },
      }),
    );
  }

  /** Opens a session; resolves with where its server is. */
  async open(): Promise<Target> {
    await this.#ask("initialize", { protocolVersion: 1, clientCapabilities: {} });
    await this.#ask("session/new", { cwd: "/w", mcpServers: [] });
    const params = this.agent.received.at(-1)?.params?.value as { mcpServers: [Target] };
    return params.mcpServers[0];
  }

  async post({ url, headers }: Target, body: string, accept: string): Promise<string> {
    const known = Object.fromEntries(headers.map(({ name, value }) => [name, value]));
    const response = await fetch(url, { method: "POST", headers: { ...known, Accept: accept }, body });
    return response.text();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#scope[Symbol.asyncDispose]();
  }

  async #ask(method: string, params: unknown): Promise<Outcome> {
    const outcome = await ask(this.#conductor.fromClient, new Request(method, Json.of(params)));
    assert.equal(outcome.isError, false, outcome.json.text);
    return outcome;
  }
}

function splitByUs(text: string): string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter({ line: (line) => lines.push(line), oversize: () => assert.fail() });
  splitter.push(text);
  splitter.end();
  return lines;
}

async function splitByNode(text: string): Promise<string[]> {
  const input = new PassThrough();
  input.end(text);
  const lines: string[] = [];
  for await (const line of createInterface({ input })) lines.push(line);
  return lines;
}
