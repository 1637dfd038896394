import type { Proxy } from "../conductor/proxy.js";
import type { McpServer } from "../mcp/mcp-server.js";

/** Stands first in a chain and gives each session the server that was offered while it was opened. */
export class SessionToolsProxy implements Proxy {
  readonly name = "session-tools";
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
