import type { Json } from "../rpc/json.js";
import { acpDeclaration } from "./declaration.js";
import type { McpServer } from "./mcp-server.js";
import type { McpDialectName } from "./wire.js";

/** Where the server behind a reference is: in this process, or at a component that speaks one of the dialects. */
export type McpServerPlace =
  | { readonly kind: "here"; readonly server: McpServer; readonly owner: string }
  | { readonly kind: "component"; readonly dialect: McpDialectName; readonly owner: string };

/** An offered server: its declaration for `mcpServers`, and the way to take it back. */
export interface McpOffer extends Disposable {
  readonly declaration: Json;
}

/** The MCP servers that members of one chain offer, by the reference under which sessions know them. */
export class McpServerTable {
  readonly #places = new Map<string, McpServerPlace>();

  /** Offers a server of this process under a fresh id. */
  offer(server: McpServer, owner: string): McpOffer {
    const serverId = `${server.name}:${crypto.randomUUID()}`;
    this.#places.set(serverId, { kind: "here", server, owner });
    return {
      declaration: acpDeclaration(server.name, serverId),
      [Symbol.dispose]: () => void this.#places.delete(serverId),
    };
  }

  /** Notes that a component declared `reference` and how it is to be spoken to. */
  note(reference: string, dialect: McpDialectName, owner: string): void {
    if (!this.#places.has(reference)) this.#places.set(reference, { kind: "component", dialect, owner });
  }

  find(reference: string): McpServerPlace | undefined {
    return this.#places.get(reference);
  }
}
