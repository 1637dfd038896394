import type { Json } from "../rpc/json.js";
import type { McpServer } from "./mcp-server.js";

/** A server made reachable for an agent that does not speak MCP over ACP. Disposing withdraws it. */
export interface McpExposure extends AsyncDisposable {
  /** The entry for the session's `mcpServers`. */
  readonly declaration: Json;
}

/** Makes servers of the chain reachable on this machine for one session each. */
export interface McpBridge extends AsyncDisposable {
  /** `http`: loopback, with a bearer token of its own. `stdio`: a program that joins the agent's pipe to us. */
  expose(server: McpServer, transport: "http" | "stdio"): Promise<McpExposure>;
}
