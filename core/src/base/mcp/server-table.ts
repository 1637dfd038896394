import { Json, textOf } from "../rpc/json.js";
import type { McpServer } from "./mcp-server.js";
import type { McpDialectName } from "./wire.js";

/** Location of a server: this process, or a component with its dialect. */
export type McpServerPlace =
  | { readonly kind: "here"; readonly server: McpServer; readonly owner: string }
  | { readonly kind: "component"; readonly dialect: McpDialectName; readonly owner: string };

/** Registered server with its declaration for `mcpServers`. Disposing removes it. */
export interface RegisteredServer extends Disposable {
  readonly declaration: Json;
}

/** MCP servers of one chain's members, keyed by the reference used in sessions. */
export class McpServerTable {
  readonly #places = new Map<string, McpServerPlace>();
  /** Number of sessions in which a component has declared each reference. */
  readonly #notes = new Map<string, number>();

  register(server: McpServer, owner: string): RegisteredServer {
    const serverId = `${server.name}:${crypto.randomUUID()}`;
    this.#places.set(serverId, { kind: "here", server, owner });
    return {
      declaration: acpDeclaration(server.name, serverId),
      [Symbol.dispose]: () => void this.#places.delete(serverId),
    };
  }

  /** Records that a component declared `reference` for a session, with its dialect. Dispose the result when the session ends. */
  note(reference: string, dialect: McpDialectName, owner: string): Disposable {
    const isRegistered = this.#places.has(reference) && !this.#notes.has(reference);
    if (isRegistered) return { [Symbol.dispose]: () => undefined };
    if (!this.#places.has(reference)) this.#places.set(reference, { kind: "component", dialect, owner });
    this.#notes.set(reference, (this.#notes.get(reference) ?? 0) + 1);
    return { [Symbol.dispose]: () => this.#forget(reference) };
  }

  #forget(reference: string): void {
    const others = (this.#notes.get(reference) ?? 1) - 1;
    if (others > 0) {
      this.#notes.set(reference, others);
      return;
    }
    this.#notes.delete(reference);
    this.#places.delete(reference);
  }

  find(reference: string): McpServerPlace | undefined {
    return this.#places.get(reference);
  }
}

interface McpDeclaration {
  readonly name: string;
  readonly kind: "stdio" | "http" | "sse" | "acp" | "other";
  /** Reference of an `acp` server: the server id, or the `acp:` URL of the oldest dialect. */
  readonly reference: string | undefined;
  readonly json: Json;
}

/** Parses an entry. Both forms of servers over ACP become `acp`: `{type:"acp",serverId}` and `{type:"http",url:"acp:…"}`. */
export function readDeclaration(json: Json): McpDeclaration {
  const { name, type, url, serverId } = json.object ?? {};
  const base = { name: textOf(name), reference: undefined, json };
  if (type === "acp" && typeof serverId === "string") return { ...base, kind: "acp", reference: serverId };
  if (typeof url === "string" && url.startsWith("acp:")) return { ...base, kind: "acp", reference: url };
  if (type === "http" || type === "sse") return { ...base, kind: type };
  return { ...base, kind: type === undefined || type === "stdio" ? "stdio" : "other" };
}

export function acpDeclaration(name: string, serverId: string): Json {
  return Json.of({ type: "acp", name, serverId });
}
