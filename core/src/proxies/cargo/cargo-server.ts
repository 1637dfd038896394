import type { McpServer } from "../../mcp/mcp-server.js";
import { ToolServer } from "../../mcp/tool-server.js";
import type { CargoRuns, SessionFolder } from "./cargo-runs.js";
import { cargoInstructions, cargoTools } from "./cargo-tools.js";

/** The MCP server `cargo` for one session: the tools that are `offered`, or all of them. */
export function cargoServer(
  runs: CargoRuns,
  session: SessionFolder,
  offered: ReadonlySet<string> | undefined,
  version = "1",
): McpServer {
  const tools = cargoTools({
    run: (call, context) => runs.run(call, session, context),
    detail: (handle, index) => runs.store.detail(handle, index),
    output: (handle, offset, limit) => runs.store.page(handle, offset, limit),
  });
  return new ToolServer({
    name: "cargo",
    version,
    instructions: cargoInstructions,
    tools: tools.filter((tool) => offered?.has(tool.name) !== false),
  });
}
