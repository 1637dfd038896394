import type { ToolResult } from "../mcp/tool-server.js";

/** The texts of a tool's result; what is none is named in brackets. */
export function textOfResult({ content }: ToolResult): string {
  return content.map(({ type, text }) => (typeof text === "string" ? text : `[${type}]`)).join("\n");
}
