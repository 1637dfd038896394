import type { Proxy, ProxySession } from "../../conductor/proxy.js";
import type { McpServer } from "../../mcp/mcp-server.js";
import { ToolServer } from "../../mcp/tool-server.js";
import { type CargoOptions, parseCargoOptions } from "./cargo-options.js";
import { CargoRuns } from "./cargo-runs.js";
import { cargoInstructions, cargoTools } from "./cargo-tools.js";
import type { CargoServices } from "./services.js";

const name = "cargo";
const version = "1";

/** Gives sessions an MCP server that runs cargo and reports in few words what it said. `options` are `{tools?, timeoutMs?, testRunner?}`. */
export function cargoProxy(options: unknown, services: CargoServices): Proxy {
  const read = parseCargoOptions(options);
  return {
    name,
    connect: () => {
      const runs = new CargoRuns(services, read.timeoutMs);
      return {
        mcpServers: (session) => [toServer(runs, session, read)],
        [Symbol.asyncDispose]: () => runs[Symbol.asyncDispose](),
      };
    },
  };
}

function toServer(runs: CargoRuns, session: ProxySession, { tools: offered, testRunner }: CargoOptions): McpServer {
  const tools = cargoTools({
    testRunner,
    run: (call, context) => runs.run(call, session, context),
    detail: (handle, index) => runs.store.detail(handle, index),
    output: (handle, offset, limit) => runs.store.page(handle, offset, limit),
  });
  return new ToolServer({
    name,
    version,
    instructions: cargoInstructions,
    tools: tools.filter((tool) => offered?.has(tool.name) !== false),
  });
}
