import { Json } from "../rpc/json.js";
import type { McpOutcome } from "./mcp-server.js";

/** A result, of a value that `JSON.stringify` can write. */
export function mcpResult(value: unknown): McpOutcome {
  return { isError: false, json: Json.of(value) };
}

/** An error object. */
export function mcpError(code: number, message: string, data?: unknown): McpOutcome {
  return { isError: true, json: Json.of(data === undefined ? { code, message } : { code, message, data }) };
}
