import { type McpServerTable, readDeclaration } from "../../base/mcp/server-table.js";
import { Json } from "../../base/rpc/json.js";
import { elementsOf, memberOf } from "../../base/rpc/json-edit.js";
import type { Request } from "../../base/rpc/message.js";
import { currentDialect, type ProxyDialect } from "./proxy-dialect.js";

/**
 * Records the MCP servers that a proxy adds to a session, with the servers' dialect. The form of a declaration identifies the oldest
 * dialect; otherwise the proxy's own dialect decides between the two later ones. Dispose the result when the session ends.
 */
export function noteDeclaredServers(
  servers: McpServerTable,
  owner: string,
  before: Iterable<Request>,
  after: Request,
  dialect: ProxyDialect,
): Disposable {
  const notes: Disposable[] = [];
  const known = new Set(Array.from(before, references).flat());
  for (const reference of references(after)) {
    if (known.has(reference)) continue;
    const later = dialect === currentDialect ? "current" : "mid";
    notes.push(servers.note(reference, reference.startsWith("acp:") ? "legacy" : later, owner));
  }
  return {
    [Symbol.dispose]: () => {
      for (const note of notes.splice(0)) note[Symbol.dispose]();
    },
  };
}

function references(request: Request): string[] {
  const declared = request.params && memberOf(request.params, "mcpServers");
  const entries = elementsOf(declared ?? Json.ofText("[]")) ?? [];
  return entries.flatMap((entry) => readDeclaration(entry).reference ?? []);
}
