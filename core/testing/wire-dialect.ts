/**
 * Wire names of one generation of proxies, as its published implementations use them. Doesn't share the conductor's own tables, so that
 * tests find mistakes in those.
 */
export interface WireDialect {
  readonly initialize: string;
  readonly successor: string;
  /** What happens to a first request that is not `initialize` above: the oldest generation exits. */
  readonly onWrongGreeting: "exit" | "methodNotFound" | "invalidRequest";
  readonly mcp: {
    readonly message: string;
    /** The methods that open and close connections; absent where requests are stateless. */
    readonly connection?: {
      readonly connect: string;
      readonly disconnect: string;
      /** The member of `connect` that names the server. */
      readonly serverMember: string;
      /** The member of its result. */
      readonly resultMember: string;
    };
  };
  /** The entry of `mcpServers` for the server of that id. */
  declaration(name: string, serverId: string): Readonly<Record<string, unknown>>;
  /** How the server is called in `connect`. */
  serverName(serverId: string): string;
}

const typed = (name: string, serverId: string): Readonly<Record<string, unknown>> => ({ type: "acp", name, serverId });

/** `legacy`: the first published proxies. `mid`: the same chain with MCP over ACP as specified since. `current`: ACP schema v1 unstable. */
export const wireDialects = {
  legacy: {
    initialize: "_proxy/initialize",
    successor: "_proxy/successor",
    onWrongGreeting: "exit",
    mcp: {
      message: "_mcp/message",
      connection: {
        connect: "_mcp/connect",
        disconnect: "_mcp/disconnect",
        serverMember: "acp_url",
        resultMember: "connection_id",
      },
    },
    declaration: (name, serverId) => ({ type: "http", name, url: `acp:${serverId}`, headers: [] }),
    serverName: (serverId) => `acp:${serverId}`,
  },
  mid: {
    initialize: "_proxy/initialize",
    successor: "_proxy/successor",
    onWrongGreeting: "methodNotFound",
    mcp: {
      message: "mcp/message",
      connection: {
        connect: "mcp/connect",
        disconnect: "mcp/disconnect",
        serverMember: "serverId",
        resultMember: "connectionId",
      },
    },
    declaration: typed,
    serverName: (serverId) => serverId,
  },
  current: {
    initialize: "proxy/initialize",
    successor: "proxy/successor",
    onWrongGreeting: "invalidRequest",
    mcp: { message: "mcp/message" },
    declaration: typed,
    serverName: (serverId) => serverId,
  },
} as const satisfies Record<string, WireDialect>;

export type WireDialectName = keyof typeof wireDialects;
