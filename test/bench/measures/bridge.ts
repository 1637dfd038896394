import { performance } from "node:perf_hooks";
import { pingServer } from "@symposium-dev/core/testing";
import type { BenchRun } from "../bench-run.js";
import { Json } from "#core/base/rpc/json.js";
import { Logger } from "#core/base/logger.js";
import { LoopbackMcpBridge } from "#core/base/node/mcp-bridge/loopback-bridge.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";
import { ToolConnection } from "../tool-connection.js";

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
    await connection.callTool({ params, answer: "pong: hello" });
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
