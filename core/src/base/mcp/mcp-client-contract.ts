import type { Peer } from "../rpc/peer.js";
import type { McpServerEntry } from "./mcp-server-entry.js";

export interface McpTool {
  readonly name: string;
  readonly description: string | undefined;
}

export interface McpToolResult {
  readonly content: readonly Readonly<Record<string, unknown>>[];
  readonly structuredContent?: unknown;
  readonly isError: boolean;
}

/**
 * Client side of one MCP server. Calls reject with `McpError` if the server answered with an error; any other rejection means that the
 * connection is unusable.
 */
export interface McpConnection extends AsyncDisposable {
  listTools(signal: AbortSignal): Promise<readonly McpTool[]>;
  callTool(name: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<McpToolResult>;
}

export interface McpConnectContext {
  readonly client: Peer;
  readonly cwd: string;
  /** Signal that aborts connecting. It doesn't close an open connection; dispose of the connection instead. */
  readonly signal: AbortSignal;
}

/** Connects to a session's server. Rejects with a message that names the server and the reason. */
export type ConnectMcp = (entry: McpServerEntry, context: McpConnectContext) => Promise<McpConnection>;
