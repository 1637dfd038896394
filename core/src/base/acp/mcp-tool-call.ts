import { asObject, type Members } from "../rpc/json.js";

export interface McpTool {
  readonly server: string;
  readonly tool: string;
}

/**
 * Lists the MCP tools that a tool call may refer to, based on the agents' naming formats. Empty for other calls; several if a name can be
 * split in several ways. `servers` are the session's servers; agents may have others.
 */
export function mcpToolsOf(toolCall: Members, servers: readonly string[]): readonly McpTool[] {
  const { title, name, toolCallId } = toolCall;
  const meta = asObject(toolCall["_meta"]);
  if (meta?.["is_mcp_tool_call"] === true) return codexTool(asObject(toolCall["rawInput"]));
  const texts = [asObject(meta?.["claudeCode"])?.["toolName"], meta?.["toolName"], name, title];
  const found = texts.flatMap((text) =>
    typeof text === "string"
      ? [...toolsInFullName(text), ...toolsInWords(text), ...servers.flatMap((server) => toolsAfter(text, server))]
      : [],
  );
  if (typeof toolCallId === "string") found.push(...servers.flatMap((server) => toolsInId(toolCallId, server)));
  return [...new Map(found.map((one) => [JSON.stringify([one.server, one.tool]), one])).values()];
}

/**
 * Returns the client tool that an agent's tool call refers to; undefined for other calls. `server` is the name of the tools' MCP server. Titles
 * of commands and edits contain the model's text, but Codex names an MCP tool in other members.
 */
export function ownToolOf(toolCall: Members, server: string, names: ReadonlySet<string>): string | undefined {
  const { kind } = toolCall;
  const isCodex = asObject(toolCall["_meta"])?.["is_mcp_tool_call"] === true;
  if (!isCodex && kind !== undefined && kind !== null && kind !== "other") return undefined;
  return mcpToolsOf(toolCall, [server]).find((one) => one.server === server && names.has(one.tool))?.tool;
}

function codexTool(input: Members | undefined): readonly McpTool[] {
  const { server, tool } = input ?? {};
  return typeof server === "string" && typeof tool === "string" ? [{ server, tool }] : [];
}

/** Parses `mcp__SERVER__NAME`. Both parts may contain double underscores. */
function toolsInFullName(text: string): readonly McpTool[] {
  const [, rest] = /^mcp__([^\s]+)$/.exec(text) ?? [];
  if (rest === undefined) return [];
  return [...rest.matchAll(/__/g)]
    .map(({ index }) => ({ server: rest.slice(0, index), tool: rest.slice(index + 2) }))
    .filter(({ server, tool }) => server !== "" && tool !== "");
}

/** Parses `NAME (SERVER MCP Server)`. */
function toolsInWords(text: string): readonly McpTool[] {
  const [, tool, server] = /^(\S+) \((.+) MCP Server\)$/.exec(text) ?? [];
  return tool !== undefined && server !== undefined ? [{ server, tool }] : [];
}

/** Parses `mcp_SERVER_NAME`, `SERVER_NAME`, `SERVER-NAME`, `SERVER/NAME`, `SERVER.NAME` and `SERVER::NAME`. */
function toolsAfter(text: string, server: string): readonly McpTool[] {
  const bare = text.replace(/^mcp__?/, "");
  // Agents replace characters that model APIs don't allow in tool names.
  const known = [server, server.replace(/[^\w-]/g, "_")].find((name) => bare.startsWith(name));
  if (known === undefined) return [];
  const tool = /^(?:__|[_-]|[.:/]{1,2})([\w./-]+)$/.exec(bare.slice(known.length))?.[1];
  return tool === undefined ? [] : [{ server, tool }];
}

/** Parses Gemini's `mcp_SERVER_NAME__…`. */
function toolsInId(id: string, server: string): readonly McpTool[] {
  const start = `mcp_${server}_`;
  if (!id.startsWith(start)) return [];
  const rest = id.slice(start.length);
  return [...rest.matchAll(/__/g)].map(({ index }) => ({ server, tool: rest.slice(0, index) }));
}
