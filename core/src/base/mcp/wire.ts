/** Stateless revision: each request has its version and capabilities in `_meta`. */
export const statelessVersion = "2026-07-28";

/** Revisions with an `initialize` handshake that the bridge supports, newest first. */
export const handshakeVersions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

/** `_meta` keys of the stateless revision and of Claude. */
export const metaKeys = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
  alwaysLoad: "anthropic/alwaysLoad",
  logLevel: "io.modelcontextprotocol/logLevel",
} as const;

export const mcpMethods = {
  initialize: "initialize",
  initialized: "notifications/initialized",
  cancelled: "notifications/cancelled",
  progress: "notifications/progress",
  ping: "ping",
  setLevel: "logging/setLevel",
  discover: "server/discover",
  listen: "subscriptions/listen",
  acknowledged: "notifications/subscriptions/acknowledged",
  toolsCall: "tools/call",
  toolsList: "tools/list",
  toolsChanged: "notifications/tools/list_changed",
} as const;

/** Requests whose results include a cache lifetime (2026-07-28). */
export const cacheableMethods: ReadonlySet<string> = new Set([
  "server/discover",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
]);

export const mcpErrorCodes = {
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

/** Outer error codes of `mcp/message` (ACP schema v1, unstable). */
export const mcpOverAcpErrorCodes = {
  unknownServer: -33001,
  backendFailed: -33002,
} as const;

/** Dialects of MCP over ACP, one for each of the three generations that components in use implement. */
export type McpDialectName = "legacy" | "mid" | "current";

export interface ConnectionDialect {
  readonly connect: string;
  readonly message: string;
  readonly disconnect: string;
  /** Parameters of `connect` for a server reference. */
  connectParams(reference: string): Readonly<Record<string, string>>;
  /** Member with the connection's id, in the answer to `connect` and in `disconnect`. */
  readonly connectionKey: string;
}

export const connectionDialects: Readonly<Record<"legacy" | "mid", ConnectionDialect>> = {
  legacy: {
    connect: "_mcp/connect",
    message: "_mcp/message",
    disconnect: "_mcp/disconnect",
    connectParams: (reference) => ({ acp_url: reference }),
    connectionKey: "connection_id",
  },
  mid: {
    connect: "mcp/connect",
    message: "mcp/message",
    disconnect: "mcp/disconnect",
    connectParams: (reference) => ({ serverId: reference }),
    connectionKey: "connectionId",
  },
};

/** Stateless request that contains one MCP call. */
export const mcpMessageMethod = "mcp/message";

/** Whether `method` belongs to any generation of MCP over ACP. */
export function isMcpOverAcp(method: string): boolean {
  return method.startsWith("mcp/") || method.startsWith("_mcp/");
}
