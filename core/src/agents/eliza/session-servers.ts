import { SymposiumError } from "../../base/symposium-error.js";
import type { ConnectMcp, McpConnectContext, McpConnection } from "../../base/mcp/mcp-client-contract.js";
import type { McpServerEntry } from "../../base/mcp/mcp-server-entry.js";

/** MCP servers of one session. Each connects on first use and stays connected until the session closes. */
export class SessionServers implements AsyncDisposable {
  readonly #connections = new Map<string, Promise<McpConnection>>();
  readonly #closing = new AbortController();

  constructor(
    private readonly entries: readonly McpServerEntry[],
    private readonly connectMcp: ConnectMcp,
    private readonly context: Omit<McpConnectContext, "signal">,
  ) {}

  get names(): readonly string[] {
    return this.entries.map((entry) => entry.name);
  }

  /** Connects to the server `name`. Rejects if the server doesn't exist or can't be reached; the next call tries again. */
  connect(name: string): Promise<McpConnection> {
    const open = this.#connections.get(name);
    if (open) return open;
    const entry = this.entries.find((candidate) => candidate.name === name);
    if (entry === undefined || this.#closing.signal.aborted) return Promise.reject(this.#noServer(name));
    const connection = this.connectMcp(entry, { ...this.context, signal: this.#closing.signal });
    this.#connections.set(name, connection);
    connection.catch(() => this.#connections.delete(name));
    return connection;
  }

  async drop(name: string): Promise<void> {
    const connection = this.#connections.get(name);
    this.#connections.delete(name);
    // A failed connection has nothing to close, and its caller already got the error.
    await (await connection?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await Promise.all([...this.#connections.keys()].map((name) => this.drop(name)));
  }

  #noServer(name: string): SymposiumError {
    const names = this.names.map((known) => `"${known}"`).join(", ");
    return new SymposiumError(
      "invalid-arguments",
      `This session has no MCP server "${name}".`,
      names === "" ? "No MCP servers are configured for this session." : `It has ${names}.`,
    );
  }
}
