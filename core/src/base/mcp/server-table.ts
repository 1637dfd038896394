import { Json, textOf } from "../rpc/json.js";
import type { McpServer } from "./mcp-server.js";
import type { McpDialectName } from "./wire.js";

/** Where the server behind a reference is: in this process, or at a component that speaks one of the dialects. */
export type McpServerPlace =
  | { readonly kind: "here"; readonly server: McpServer; readonly owner: string }
  | { readonly kind: "component"; readonly dialect: McpDialectName; readonly owner: string };

/** A registered server: its declaration for `mcpServers`. Disposing withdraws it. */
export interface RegisteredServer extends Disposable {
  readonly declaration: Json;
}

/** The MCP servers of the members of one chain, by the reference under which sessions know them. */
export class McpServerTable {
  readonly #places = new Map<string, McpServerPlace>();
  /** In how many sessions a component has declared a reference. */
  readonly #notes = new Map<string, number>();

  /** Registers a server of this process under a fresh id. */
  register(server: McpServer, owner: string): RegisteredServer {
    const serverId = `${server.name}:${crypto.randomUUID()}`;
    this.#places.set(serverId, { kind: "here", server, owner });
    return {
      declaration: acpDeclaration(server.name, serverId),
      [Symbol.dispose]: () => void this.#places.delete(serverId),
    };
  }

  /** Notes that a component declared `reference` for a session, and how it is to be spoken to, until that has ended. */
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

/** One entry of a session's `mcpServers`, as far as the bridge cares. */
interface McpDeclaration {
  readonly name: string;
  readonly kind: "stdio" | "http" | "sse" | "acp" | "other";
  /** For `acp`: the server id, or the `acp:` URL of the oldest generation. */
  readonly reference: string | undefined;
  /** The entry as it was. */
  readonly json: Json;
}

/** Reads an entry; both declarations of servers over ACP are `acp` (`{type:"acp",serverId}` and `{type:"http",url:"acp:…"}`). */
export function readDeclaration(json: Json): McpDeclaration {
  const { name, type, url, serverId } = json.object ?? {};
  const base = { name: textOf(name), reference: undefined, json };
  if (type === "acp" && typeof serverId === "string") return { ...base, kind: "acp", reference: serverId };
  if (typeof url === "string" && url.startsWith("acp:")) return { ...base, kind: "acp", reference: url };
  if (type === "http" || type === "sse") return { ...base, kind: type };
  return { ...base, kind: type === undefined || type === "stdio" ? "stdio" : "other" };
}

/** The declaration of a server over ACP in its current form. */
export function acpDeclaration(name: string, serverId: string): Json {
  return Json.of({ type: "acp", name, serverId });
}
