import { asObject, isStrings } from "../rpc/json.js";
import type { Peer } from "../rpc/peer.js";

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

/** An error object with which an MCP server answered a request of ours. */
export class McpError extends Error {
  override readonly name = "McpError";

  /** `code` and `data` are the server's; `message` is its message as it was. */
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

type StringRecord = Readonly<Record<string, string>>;

/** An entry of a session's `mcpServers` (ACP v1), read for whoever connects to it. */
export type McpServerEntry =
  | {
      readonly type: "stdio";
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: StringRecord;
    }
  | { readonly type: "http" | "sse"; readonly name: string; readonly url: string; readonly headers: StringRecord }
  | { readonly type: "acp"; readonly name: string; readonly serverId: string };

/** Reads one entry. Returns a sentence about the fault where it cannot be used. */
export function parseMcpServerEntry(value: unknown): McpServerEntry | string {
  const { name, type, ...rest } = asObject(value) ?? {};
  if (typeof name !== "string" || name === "") return "An entry of mcpServers has no name.";
  const missing = (member: string): string => `The MCP server "${name}" has no valid "${member}".`;
  switch (type) {
    case undefined:
    case "stdio": {
      const { command, args = [], env = [] } = rest;
      const variables = parsePairs(env);
      if (typeof command !== "string" || command === "") return missing("command");
      if (!isStrings(args)) return missing("args");
      return variables === undefined ? missing("env") : { type: "stdio", name, command, args, env: variables };
    }
    case "http":
    case "sse": {
      const { url, headers = [] } = rest;
      const fields = parsePairs(headers);
      if (typeof url !== "string" || !/^https?:\/\//.test(url)) return missing("url");
      return fields === undefined ? missing("headers") : { type, name, url, headers: fields };
    }
    case "acp": {
      const { serverId } = rest;
      return typeof serverId === "string" ? { type, name, serverId } : missing("serverId");
    }
    default:
      return `The MCP server "${name}" has the type ${JSON.stringify(type)}, which is none of stdio, http, sse and acp.`;
  }
}

/** ACP's `[{name, value}]`; the last of equal names wins. */
function parsePairs(value: unknown): StringRecord | undefined {
  if (!Array.isArray(value)) return undefined;
  const pairs: [string, string][] = [];
  for (const item of value as readonly unknown[]) {
    const { name, value: text } = asObject(item) ?? {};
    if (typeof name !== "string" || typeof text !== "string") return undefined;
    pairs.push([name, text]);
  }
  return Object.fromEntries(pairs);
}
