import { asObject, type Members } from "../rpc/json.js";

/**
 * Returns the client tool that an agent's tool call refers to, based on the agents' naming formats; undefined for other calls. `server` is
 * the name of the tools' MCP server. Titles usually contain the model's text, but for MCP tools they are the full tool name. Gemini writes
 * the server's name in words and starts the call's id with the full name. Qwen's titles contain arguments, and Codex's titles can look like
 * commands, but both agents name the tool in other members.
 */
export function ownToolOf(toolCall: Members, server: string, names: ReadonlySet<string>): string | undefined {
  const { kind, title, name, toolCallId } = toolCall;
  const meta = asObject(toolCall["_meta"]);
  if (meta?.["is_mcp_tool_call"] === true) return codexTool(asObject(toolCall["rawInput"]), server, names);
  if (kind !== undefined && kind !== null && kind !== "other") return undefined;
  const claude = asObject(meta?.["claudeCode"])?.["toolName"];
  for (const text of [claude, meta?.["toolName"], name, title]) {
    if (typeof text !== "string") continue;
    const known = [nameAfter(text, server), nameBefore(text, server)].find((found) => names.has(found));
    if (known !== undefined) return known;
  }
  if (typeof toolCallId !== "string" || !toolCallId.startsWith(`mcp_${server}_`)) return undefined;
  const rest = toolCallId.slice(`mcp_${server}_`.length);
  return [...names].find((known) => rest.startsWith(`${known}__`));
}

function codexTool(input: Members | undefined, server: string, names: ReadonlySet<string>): string | undefined {
  const tool = input?.["tool"];
  return input?.["server"] === server && typeof tool === "string" && names.has(tool) ? tool : undefined;
}

/** Parses `mcp__SERVER__NAME`, `mcp_SERVER_NAME`, `SERVER_NAME`, `SERVER-NAME`, `SERVER/NAME`, `SERVER.NAME` and `SERVER::NAME`. */
function nameAfter(text: string, server: string): string {
  const bare = text.replace(/^mcp__?/, "");
  if (!bare.startsWith(server)) return "";
  return /^(?:__|[_-]|[.:/]{1,2})([\w-]+)$/.exec(bare.slice(server.length))?.[1] ?? "";
}

/** Parses `NAME (SERVER MCP Server)`. */
function nameBefore(text: string, server: string): string {
  const end = ` (${server} MCP Server)`;
  return text.endsWith(end) ? text.slice(0, -end.length) : "";
}
