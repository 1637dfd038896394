import type { Peer } from "../rpc/peer.js";
import type { McpServerEntry } from "./mcp-server-entry.js";

/** A tool as its server lists it; members this does not name are dropped. */
export interface McpTool {
  readonly name: string;
  readonly description: string | undefined;
}

/** What a tool call brought (MCP `CallToolResult`). */
export interface McpToolResult {
  readonly content: readonly Readonly<Record<string, unknown>>[];
  readonly structuredContent?: unknown;
  /** True when the tool ran and failed. */
  readonly isError: boolean;
}

/**
 * The client's side of one MCP server. Calls reject with `McpError` where the server answered with an error,
 * and with anything else where the connection is of no more use.
 */
export interface McpConnection extends AsyncDisposable {
  /** All tools, of all pages, in the server's order. */
  listTools(signal: AbortSignal): Promise<readonly McpTool[]>;
  callTool(name: string, args: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<McpToolResult>;
}

/** Where and for whom a connection is opened. */
export interface McpConnectContext {
  /** The side that serves entries of type `acp`. */
  readonly client: Peer;
  /** Working folder for a server that is started as a process. */
  readonly cwd: string;
  /** Gives the attempt up. A connection that stands is ended by disposing it. */
  readonly signal: AbortSignal;
}

/** Connects to a server that a session was given. Rejects with a message that names the server and the reason. */
export type ConnectMcp = (entry: McpServerEntry, context: McpConnectContext) => Promise<McpConnection>;
