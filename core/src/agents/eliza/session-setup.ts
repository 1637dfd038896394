import { type McpServerEntry, parseMcpServerEntry } from "../../mcp/mcp-connection.js";

/** What `session/new`, `load` and `resume` give a session. */
interface SessionSetup {
  readonly cwd: string;
  readonly servers: readonly McpServerEntry[];
}

/** Reads the parameters of a session's set-up. Returns a sentence about the fault where they cannot be used. */
export function parseSessionSetup(params: Readonly<Record<string, unknown>>): SessionSetup | string {
  const { cwd, mcpServers } = params;
  if (typeof cwd !== "string" || !isAbsolute(cwd))
    return `"cwd" must be an absolute path, got ${JSON.stringify(cwd ?? null)}.`;
  if (!Array.isArray(mcpServers)) return `"mcpServers" must be a list, got ${JSON.stringify(mcpServers ?? null)}.`;
  const servers: McpServerEntry[] = [];
  for (const value of mcpServers as readonly unknown[]) {
    const entry = parseMcpServerEntry(value);
    if (typeof entry === "string") return entry;
    servers.push(entry);
  }
  return { cwd, servers };
}

/** On either kind of system: the client may run on another one. */
function isAbsolute(path: string): boolean {
  return /^(?:\/|\\\\|[A-Za-z]:[\\/])/.test(path);
}
