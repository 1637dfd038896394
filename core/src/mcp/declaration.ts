import { Json } from "../rpc/json.js";

/** One entry of a session's `mcpServers`, as far as the bridge cares. */
export interface McpDeclaration {
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
  const base = { name: typeof name === "string" ? name : "", reference: undefined, json };
  if (type === "acp" && typeof serverId === "string") return { ...base, kind: "acp", reference: serverId };
  if (typeof url === "string" && url.startsWith("acp:")) return { ...base, kind: "acp", reference: url };
  if (type === "http" || type === "sse") return { ...base, kind: type };
  return { ...base, kind: type === undefined || type === "stdio" ? "stdio" : "other" };
}

/** The declaration of a server over ACP in its current form. */
export function acpDeclaration(name: string, serverId: string): Json {
  return Json.of({ type: "acp", name, serverId });
}
