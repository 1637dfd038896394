import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { Logger } from "#core/base/logger.js";
import { startProcess } from "#core/base/node/child-component.js";
import { LoopbackMcpBridge } from "#core/base/node/mcp-bridge/loopback-bridge.js";
import { Watchdog } from "#core/base/node/orphan-watchdog.js";
import { McpClient } from "#core/context/servers/node/mcp-client.js";
import { SessionServer } from "#core/context/servers/session-server.js";
import { repositoryRoot } from "../../support/repository.js";
import type { BenchRun } from "../bench-run.js";
import type { Row } from "../row.js";
import { Samples } from "../samples.js";
import { ToolConnection } from "../tool-connection.js";

const args = [join(repositoryRoot, "test", "dist", "support", "programs", "mcp-server.js")];
const call = { params: { name: "now", arguments: {} }, answer: "noon" };
const warmUps = 50;

/** One call of a tool of a user's server over stdio: by the official client alone, and by our endpoint in front of it. */
export async function measureServerCall(run: BenchRun): Promise<Row[]> {
  const samples = new Samples();
  using watchdog = new Watchdog();
  const start = startProcess({ logger: Logger.silent, watchdog });
  const client = new McpClient({ clientInfo: { name: "bench", version: "1" }, startProcess: start });
  const { signal } = new AbortController();
  const program = { type: "stdio", command: process.execPath, args } as const;
  const launch = { ...program, env: {}, cwd: repositoryRoot };
  const nobody = { notified: () => undefined, ended: () => undefined };
  await using alone = await client.open({ name: "clock", launch }, nobody, signal);
  await using served = new SessionServer({
    name: "clock",
    server: { name: "clock", launch: { ...program, env: {} }, origin: { kind: "user" }, isEnabled: true },
    lists: undefined,
    host: {},
    connect: (host, ended) => client.open({ name: "clock", launch }, host, ended),
    keep: () => undefined,
    stateChanged: () => undefined,
  });
  await served.start();
  await using bridge = new LoopbackMcpBridge({ command: process.execPath, args: [], env: {} }, Logger.silent);
  await using exposure = await bridge.expose(served, "http");
  using connection = new ToolConnection(exposure.declaration.value);
  for (let round = -warmUps; round < run.scale.toolCalls; round++) {
    const begun = performance.now();
    await alone.call("tools/call", call.params, { signal, notify: () => undefined });
    const middle = performance.now();
    await connection.callTool(call);
    if (round < 0) continue;
    samples.add("alone", middle - begun);
    samples.add("served", performance.now() - middle);
  }
  const row = (percent: number): Row => ({
    measure: `tool call of a user's server through our endpoint, added, p${percent} (direct: the server alone)`,
    unit: "ms",
    isAdded: true,
    direct: samples.percentile("alone", percent),
    ours: samples.difference("served", "alone", percent),
    ...(percent === 50 && { target: { atMost: 1 } }),
  });
  return [row(50), row(99)];
}
