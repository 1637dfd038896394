import type { McpServer } from "../mcp/mcp-server.js";
import { listTools, toolBytes } from "../mcp/server-connection.js";
import type { AgentRow } from "../registry/agent-table.js";
import type { ToolSearchSettings } from "../settings/settings-table.js";
import { type IndexedTool, type ServerTools, ToolIndex } from "./tool-index.js";
import { ToolSearchServer } from "./tool-search-server.js";
import { namesByServer } from "./tool-texts.js";
import type { ToolUse } from "./tool-use.js";

/** How much of a system prompt the names of tools may take. */
const promptBytes = 1_500;
/** How many tools stay in the list because they are used a lot, and how much they may take together. */
const directTools = 5;
const directBytes = 1_500;

interface ToolSearchContext {
  readonly row: AgentRow | undefined;
  readonly settings: ToolSearchSettings;
  readonly version: string;
  readonly use: ToolUse;
  /** Aborted when the session has ended. */
  readonly signal: AbortSignal;
}

/** The servers of a session as its agent gets them. */
interface OfferedServers {
  readonly servers: readonly McpServer[];
  /** Stands in place of them, where the list of their tools would be too long. */
  readonly search?: ToolSearchServer;
  /** For the model, where its agent says nothing of the tools before they are looked for. */
  readonly instruction?: { readonly title: string; readonly text: string };
}

/**
 * Decides how an agent gets the servers of a session: as they are, or behind {@link ToolSearchServer}. A server that does not
 * list its tools counts as one without any. Never rejects.
 */
export async function withToolSearch(
  servers: readonly McpServer[],
  { row, settings, version, use, signal }: ToolSearchContext,
): Promise<OfferedServers> {
  const isIndexed = row?.deferredTools === "unnamed";
  if (servers.length === 0 || settings.mode === "off" || row?.deferredTools === "named") return { servers };
  const lists = await Promise.all(servers.map((server) => toolsOf(server, signal)));
  const index = new ToolIndex(lists);
  if (isIndexed) return { servers, ...indexInstruction(index) };
  if (!isTooMuch(index, settings)) return { servers };
  const name = freeName(servers);
  const onCall = (server: string, tool: string): void => use.note(server, tool);
  const search = new ToolSearchServer({ name, version, servers: lists, direct: mostUsed(index, use), onCall, signal });
  return { servers: [search], search };
}

/** A server with what it lists and says of itself now. */
export async function toolsOf(server: McpServer, signal: AbortSignal): Promise<ServerTools> {
  const [tools, description] = await Promise.allSettled([listTools(server, signal), server.describe(signal)]);
  return {
    server,
    tools: tools.status === "fulfilled" ? tools.value : [],
    instructions: description.status === "fulfilled" ? description.value.instructions : undefined,
  };
}

function isTooMuch({ tools }: ToolIndex, { mode, maxTools, maxBytes }: ToolSearchSettings): boolean {
  if (mode !== "auto") return mode === "always" && tools.length > 0;
  return tools.length > maxTools || tools.reduce((sum, { tool }) => sum + toolBytes(tool), 0) > maxBytes;
}

/** The tools that were called most, as many as there is space for. */
function mostUsed(index: ToolIndex, use: ToolUse): readonly IndexedTool[] {
  const counted = index.tools
    .map((one) => ({ one, count: use.count(one.server.name, one.tool.name) }))
    .filter(({ count }) => count > 0)
    .sort((left, right) => right.count - left.count);
  const taken: IndexedTool[] = [];
  let left = directBytes;
  for (const { one } of counted) {
    const bytes = toolBytes(one.tool);
    if (taken.length === directTools || bytes > left) continue;
    taken.push(one);
    left -= bytes;
  }
  return taken;
}

/** Agents make the name part of the names of tools; two servers of a session must differ in it. */
function freeName(servers: readonly McpServer[]): string {
  const taken = new Set(servers.map(({ name }) => name));
  for (let number = 1; ; number++) {
    const name = number === 1 ? "tools" : `tools_${number}`;
    if (!taken.has(name)) return name;
  }
}

function indexInstruction(index: ToolIndex): Pick<OfferedServers, "instruction"> {
  if (index.tools.length === 0) return {};
  const intro = "Besides your own tools you have these of MCP servers; find them with your search for tools:";
  const text = `${intro}\n${namesByServer(index, promptBytes - intro.length - 1)}`;
  return { instruction: { title: "Tools of MCP servers", text } };
}
