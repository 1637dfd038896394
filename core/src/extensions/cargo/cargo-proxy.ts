import type { Proxy, ProxySession } from "../../conductor/chain/proxy.js";
import type { McpServer } from "../../base/mcp/mcp-server.js";
import { ToolServer } from "../../base/mcp/tool-server.js";
import { asObject } from "../../base/rpc/json.js";
import type { Peer } from "../../base/rpc/peer.js";
import type { FolderTrust } from "../../settings/trust/folder-trust.js";
import { CargoRuns } from "./cargo-runs.js";
import { cargoInstructions, cargoTools } from "./cargo-tools.js";
import type { CargoServices } from "./services.js";

const name = "cargo";

/**
 * Adds an MCP server that runs cargo and summarizes its output, in trusted folders with Rust projects. `options` are `{tools?, timeoutMs?,
 * testRunner?}`.
 */
export function cargoProxy(options: unknown, services: CargoServices, trust: FolderTrust, version: string): Proxy {
  const read = { ...parseCargoOptions(options), version };
  return {
    name,
    connect: ({ client }) => {
      const runs = new CargoRuns(services, read.timeoutMs, trust);
      return {
        mcpServers: (session) => (services.hasWorkspace(session.cwd) ? [toServer(runs, session, client, read)] : []),
        [Symbol.asyncDispose]: () => runs[Symbol.asyncDispose](),
      };
    },
  };
}

function toServer(
  runs: CargoRuns,
  session: ProxySession,
  client: Peer,
  { tools: wanted, testRunner, version }: CargoOptions & { readonly version: string },
): McpServer {
  const folder = { cwd: session.cwd, signal: session.signal, client, sessionId: () => session.sessionId };
  const tools = cargoTools({
    testRunner,
    run: (call, context) => runs.run(call, folder, context),
    detail: (handle, index) => runs.store.detail(handle, index),
    output: (handle, offset, limit) => runs.store.page(handle, offset, limit),
  });
  return new ToolServer({
    name,
    version,
    instructions: cargoInstructions,
    tools: tools.filter((tool) => wanted?.has(tool.name) !== false),
  });
}

interface CargoOptions {
  /** Tools to list; undefined means all. */
  readonly tools: ReadonlySet<string> | undefined;
  readonly timeoutMs: number;
  readonly testRunner: "cargo" | "nextest";
}

const defaultTimeoutMs = 600_000;

/** Parses `{tools?, timeoutMs?, testRunner?}` and ignores invalid members. */
function parseCargoOptions(options: unknown): CargoOptions {
  const { tools, timeoutMs, testRunner } = asObject(options) ?? {};
  const isTime = typeof timeoutMs === "number" && Number.isFinite(timeoutMs) && timeoutMs > 0;
  return {
    tools: Array.isArray(tools) ? new Set(tools.filter((tool) => typeof tool === "string")) : undefined,
    timeoutMs: isTime ? timeoutMs : defaultTimeoutMs,
    testRunner: testRunner === "nextest" ? "nextest" : "cargo",
  };
}
