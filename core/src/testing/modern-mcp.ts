import { Json } from "../rpc/json.js";
import { objectMember } from "./members.js";

const version = "2026-07-28";
const key = (name: string): string => `io.modelcontextprotocol/${name}`;

/** Methods whose complete results must say how long they may be kept (MCP 2026-07-28, caching). */
const cacheable = new Set(["server/discover", "tools/list", "prompts/list", "resources/list"]);

/** What is wrong with the `_meta` of a stateless MCP request, as an error object; undefined when nothing is. */
export function modernEnvelopeError(params: Json | undefined): Readonly<Record<string, unknown>> | undefined {
  const meta = objectMember(params, "_meta");
  const requested = meta?.[key("protocolVersion")];
  if (typeof requested !== "string") return missing(key("protocolVersion"));
  if (requested !== version) {
    return {
      code: -32022,
      message: `Unsupported protocol version: ${requested}`,
      data: { supported: [version], requested },
    };
  }
  return Json.of(meta?.[key("clientCapabilities")]).object ? undefined : missing(key("clientCapabilities"));
}

function missing(name: string): Readonly<Record<string, unknown>> {
  return { code: -32602, message: `Missing or invalid _meta["${name}"]`, data: { envelope: { missing: [name] } } };
}

/** A result with the members that MCP 2026-07-28 requires. */
export function modernResult(method: string, result: Json, serverInfo?: unknown): Readonly<Record<string, unknown>> {
  return {
    resultType: "complete",
    ...result.object,
    ...(cacheable.has(method) ? { ttlMs: 0, cacheScope: "private" } : {}),
    ...(serverInfo === undefined ? {} : { _meta: { [key("serverInfo")]: serverInfo } }),
  };
}
