import { asObject, type Members } from "../rpc/json.js";

/**
 * The name of the client's tool that a tool call of the agent is, by the forms in which agents write it; undefined for
 * all other calls. `server` is the name of the MCP server that has the tools.
 *
 * Titles hold a model's words for most kinds of tool call; for tools of MCP servers they are the tool's full name.
 * Gemini names the server in words, and begins the call's id with the full name; Qwen has arguments for a title, and
 * Codex takes them for commands, but both say in `_meta` what they are.
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

/** `mcp__SERVER__NAME`, `mcp_SERVER_NAME`, `SERVER_NAME`, `SERVER-NAME`, `SERVER/NAME`, `SERVER.NAME`, `SERVER::NAME`. */
function nameAfter(text: string, server: string): string {
  const bare = text.replace(/^mcp__?/, "");
  if (!bare.startsWith(server)) return "";
  return /^(?:__|[_-]|[.:/]{1,2})([\w-]+)$/.exec(bare.slice(server.length))?.[1] ?? "";
}

/** `NAME (SERVER MCP Server)`. */
function nameBefore(text: string, server: string): string {
  const end = ` (${server} MCP Server)`;
  return text.endsWith(end) ? text.slice(0, -end.length) : "";
}
