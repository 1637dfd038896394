import { runStdioShim } from "../../base/node/mcp-bridge/stdio-joint.js";
import { subcommand } from "./subcommand.js";

/** `mcp-shim`: agents without http support start this program to reach a server of the chain. Internal. */
export const mcpShim = subcommand({
  name: "mcp-shim",
  about:
    "Serve an MCP server of the chain over stdio, for agents that support no other transport. Symposium starts this.",
  async run() {
    await runStdioShim(process.env);
    return 0;
  },
});
