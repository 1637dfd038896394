import type { Json } from "../../base/rpc/json.js";
import { readDeclaration } from "../../base/mcp/server-table.js";

/** What the agent takes, as it said in `agentCapabilities.mcpCapabilities`. */
export interface AgentMcpAbilities {
  readonly http: boolean;
  readonly sse: boolean;
  /** MCP over ACP, natively. */
  readonly acp: boolean;
}

/** A server over ACP, and how the agent gets it. */
export interface BridgedServer {
  readonly kind: "native" | "http" | "stdio";
  readonly name: string;
  readonly reference: string;
}

/** What becomes of one entry of `mcpServers`. */
export type PlannedServer = { readonly kind: "keep"; readonly json: Json } | BridgedServer;

interface ServerPlan {
  readonly servers: readonly PlannedServer[];
  /** Names of servers that the agent does not accept and that cannot be bridged. */
  readonly dropped: readonly string[];
  readonly isUnchanged: boolean;
  /** Why the session cannot be opened like this. */
  readonly problem?: string;
}

/**
 * Decides how each MCP server of a session reaches the agent: servers over ACP natively, else over http, else
 * over stdio; http and sse servers only where the agent accepts them. `isOurs` says whether this chain has to carry a reference.
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
