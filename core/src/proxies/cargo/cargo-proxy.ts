import type { Proxy, ProxySession } from "../../conductor/proxy.js";
import type { McpServer } from "../../mcp/mcp-server.js";
import { ToolServer } from "../../mcp/tool-server.js";
import { parseCargoOptions } from "./cargo-options.js";
import { CargoRuns } from "./cargo-runs.js";
import { cargoInstructions, cargoTools } from "./cargo-tools.js";
import type { CargoServices } from "./services.js";

const name = "cargo";
const version = "1";

/** Gives sessions an MCP server that runs cargo and reports in few words what it said. `options` are `{tools?, timeoutMs?}`. */
export function cargoProxy(options: unknown, services: CargoServices): Proxy {
  const { tools: offered, timeoutMs } = parseCargoOptions(options);
  return {
    name,
    connect: () => {
      const runs = new CargoRuns(services, timeoutMs);
      return {
        mcpServers: (session) => [toServer(runs, session, offered)],
        [Symbol.asyncDispose]: () => runs[Symbol.asyncDispose](),
      };
    },
  };
}

function toServer(runs: CargoRuns, session: ProxySession, offered: ReadonlySet<string> | undefined): McpServer {
  const tools = cargoTools({
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
