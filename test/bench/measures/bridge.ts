import { Agent, request } from "node:http";
import { performance } from "node:perf_hooks";
import { pingServer } from "@symposium-dev/core/testing";
import { arrayOf, objectOf, stringOf } from "../../support/json.js";
import type { BenchRun } from "../bench-run.js";
import { Json } from "#core/rpc/json.js";
import { Logger } from "#core/base/logger.js";
import { LoopbackMcpBridge } from "#core/node/mcp-bridge/loopback-bridge.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";

const params = { name: "mcp_ping", arguments: { text: "hello" } };
const warmUps = 50;

/** One tool call: in this process, and over the loopback bridge on a connection that stays open. */
export async function measureBridge(run: BenchRun): Promise<Row[]> {
  const samples = new Samples();
  const server = pingServer("ping");
  await using bridge = new LoopbackMcpBridge({ command: process.execPath, args: [], env: {} }, Logger.silent);
  await using exposure = await bridge.expose(server, "http");
  using connection = new ToolConnection(exposure.declaration.value);
  const { signal } = new AbortController();
  for (let call = -warmUps; call < run.scale.toolCalls; call++) {
    const start = performance.now();
    await server.call("tools/call", Json.of(params), { signal, notify: () => undefined });
    const middle = performance.now();
    await connection.callTool();
    if (call < 0) continue;
    samples.add("direct", middle - start);
    samples.add("bridge", performance.now() - middle);
  }
  const row = (percent: number): Row => ({
    measure: `tool call over the HTTP bridge, p${percent} (direct: a call in process)`,
    unit: "ms",
    direct: samples.percentile("direct", percent),
    ours: samples.percentile("bridge", percent),
  });
  return [row(50), row(99)];
}

/** One kept-alive HTTP connection to an exposed server. */
class ToolConnection implements Disposable {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #url: string;
  readonly #authorization: string;

  constructor(declaration: unknown) {
    const { url, headers } = objectOf(declaration);
    this.#url = stringOf(url);
    this.#authorization = stringOf(objectOf(arrayOf(headers)[0])["value"]);
  }

  async callTool(): Promise<void> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    const answer = await this.#post(body);
    if (!answer.includes("pong: hello")) throw new Error(`The bridge answered: ${answer}`);
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  #post(body: string): Promise<string> {
    const headers = {
      Authorization: this.#authorization,
      "Content-Type": "application/json",
      "Content-Length": body.length,
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2025-11-25",
    };
    return new Promise((resolve, reject) => {
      const call = request(this.#url, { method: "POST", agent: this.#agent, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve(text));
        response.on("error", reject);
      });
      call.on("error", reject);
      call.end(body);
    });
  }
}
