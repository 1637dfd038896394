import type { Proxy } from "../conductor/proxy.js";
import type { McpServer } from "../mcp/mcp-server.js";
import { ToolServer } from "../mcp/tool-server.js";
import type { ToolResult } from "../mcp/tool.js";
import type { ClientTool } from "./chat-request.js";

/** The MCP server under which an agent finds the client's tools. */
export const clientToolsName = "client_tools";

/** A call of one of the client's tools. */
export interface CalledTool {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Carries out a call of the agent: resolves with what the client's tool gave. */
export type CallClientTool = (
  name: string,
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => Promise<ToolResult | string>;

/** The client's tools as an MCP server, for the session that is being opened. */
export function clientToolServer(tools: readonly ClientTool[], call: CallClientTool, version: string): McpServer {
  return new ToolServer({
    name: clientToolsName,
    version,
    instructions: "Tools of the program that the user works in. Use them to see and change what the user sees there.",
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      description,
      inputSchema: parameters,
      call: (args, { signal }) => call(name, args, signal),
    })),
  });
}

/** Stands first in a chain and gives each session the server that was offered while it was opened. */
export class ClientToolsProxy implements Proxy {
  readonly name = clientToolsName;
  #offered: McpServer | undefined;

  connect(): { mcpServers: () => readonly McpServer[] } {
    return { mcpServers: () => (this.#offered ? [this.#offered] : []) };
  }

  /** `open` sends a `session/new`: the chain asks for its servers before that call returns. */
  offering<T>(server: McpServer | undefined, open: () => T): T {
    this.#offered = server;
    try {
      return open();
    } finally {
      this.#offered = undefined;
    }
  }
}
