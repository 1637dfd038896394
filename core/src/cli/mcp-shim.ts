import { runStdioShim } from "../node/mcp-bridge/stdio-shim.js";

/** `mcp-shim`: the program that agents without http start for a server of the chain. Not for people. */
export async function mcpShim(): Promise<number> {
  await runStdioShim(process.env);
  return 0;
}
