import type { McpToolResult } from "../../mcp/mcp-connection.js";
import { asObject } from "../../rpc/json.js";

/** A tool's result for people to read. */
export function toolResultText(result: McpToolResult): string {
  const text = result.content.map(blockText).join("\n");
  if (text.trim() !== "") return text;
  return result.structuredContent === undefined ? "(nothing)" : JSON.stringify(result.structuredContent);
}

function blockText(block: Readonly<Record<string, unknown>>): string {
  const { type, text, uri, mimeType } = block;
  if (type === "text" && typeof text === "string") return text;
  if (type === "resource_link" && typeof uri === "string") return uri;
  const resource = asObject(block["resource"]);
  if (typeof resource?.["text"] === "string") return resource["text"];
  if (typeof resource?.["uri"] === "string") return resource["uri"];
  return `(${typeof mimeType === "string" ? mimeType : String(type)})`;
}
