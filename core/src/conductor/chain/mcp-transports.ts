import type { Json } from "../../base/rpc/json.js";
import { readDeclaration } from "../../base/mcp/server-table.js";

/** MCP transports that the agent supports, as announced in `agentCapabilities.mcpCapabilities`. */
export interface AgentMcpAbilities {
  readonly http: boolean;
  readonly sse: boolean;
  readonly acp: boolean;
}

export interface BridgedServer {
  readonly kind: "native" | "http" | "stdio";
  readonly name: string;
  readonly reference: string;
}

export type PlannedServer = { readonly kind: "keep"; readonly json: Json } | BridgedServer;

interface ServerPlan {
  readonly servers: readonly PlannedServer[];
  /** Names of servers that the agent doesn't support and that can't be bridged. */
  readonly dropped: readonly string[];
  readonly isUnchanged: boolean;
  readonly problem?: string;
}

/**
 * Selects the transport of each MCP server in a session. Servers over ACP use native MCP over ACP if possible, otherwise http, otherwise
 * stdio; http and sse servers are included only if the agent supports them. `isOurs` returns whether this chain serves a reference.
 */
export function planServers(
  entries: readonly Json[],
  abilities: AgentMcpAbilities,
  isOurs: (reference: string) => boolean,
): ServerPlan {
  const servers: PlannedServer[] = [];
  const dropped: string[] = [];
  const overAcp = new Set<string>();
  const plain = new Set<string>();
  for (const json of entries) {
    const { name, kind, reference } = readDeclaration(json);
    const isCarried = reference !== undefined && isOurs(reference);
    if (overAcp.has(name) || (isCarried && plain.has(name))) {
      const problem = `two MCP servers of this session are named "${name}". Rename the editor's server, or disable the extension that offers the other.`;
      return { servers: [], dropped: [], isUnchanged: true, problem };
    }
    (isCarried ? overAcp : plain).add(name);
    if (isCarried) servers.push({ kind: transportFor(abilities), name, reference });
    else if ((kind === "http" && !abilities.http) || (kind === "sse" && !abilities.sse)) dropped.push(name);
    else servers.push({ kind: "keep", json });
  }
  return { servers, dropped, isUnchanged: overAcp.size === 0 && dropped.length === 0 };
}

function transportFor(abilities: AgentMcpAbilities): "native" | "http" | "stdio" {
  if (abilities.acp) return "native";
  return abilities.http ? "http" : "stdio";
}
