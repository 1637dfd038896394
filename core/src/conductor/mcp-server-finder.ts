import { ConnectedServer } from "../mcp/connected-server.js";
import type { McpServer } from "../mcp/mcp-server.js";
import type { McpServerPlace, McpServerTable } from "../mcp/server-table.js";
import { StatelessServer } from "../mcp/stateless-server.js";
import type { UpstreamCalls } from "../mcp/upstream-calls.js";
import { connectionDialects } from "../mcp/wire.js";
import type { Peer } from "../rpc/peer.js";

/** Opens the server behind a reference, wherever in the chain it is and whatever dialect its owner speaks. */
export class McpServerFinder {
  constructor(
    private readonly servers: McpServerTable,
    private readonly upstream: Peer,
    private readonly calls: UpstreamCalls,
  ) {}

  /** Where the chain has it; undefined for servers of the editor. */
  find(reference: string): McpServerPlace | undefined {
    return this.servers.find(reference);
  }

  /** The caller owns the result and disposes it where it is disposable. */
  open(name: string, reference: string): McpServer {
    const place = this.servers.find(reference);
    if (place?.kind === "here") return place.server;
    // What no component declared came from the editor, which knows the current dialect or the oldest by its URL.
    const dialect = place?.dialect ?? (reference.startsWith("acp:") ? "legacy" : "current");
    if (dialect === "current") return new StatelessServer(name, reference, this.upstream, this.calls);
    return new ConnectedServer(name, reference, connectionDialects[dialect], this.upstream, this.calls);
  }
}
