import { linkedSignal } from "../../base/linked-signal.js";
import { whenAborted } from "../../base/until-aborted.js";
import type { McpServer } from "../../base/mcp/mcp-server.js";
import { listTools, toolBytes } from "../../base/mcp/in-process-client.js";
import type { AgentRow } from "../../agents/registry/agent-table.js";
import type { ToolSearchSettings } from "../../settings/settings-table.js";
import { InnerCalls } from "./inner-calls.js";
import { type IndexedTool, type ServerTools, ToolIndex } from "./tool-index.js";
import { ToolSearchServer } from "./tool-search-server.js";
import { namesByServer } from "./tool-search-text.js";
import type { ToolUse } from "./tool-call-counts.js";

/** Maximum bytes of tool names in a system prompt. */
const promptBytes = 1_500;
/** Maximum number and bytes of often-used tools in the list. */
const directTools = 5;
const directBytes = 1_500;

interface ToolSearchOptions {
  settings(): ToolSearchSettings;
  readonly version: string;
  readonly use: ToolUse;
}

interface SearchedSession {
  readonly row: AgentRow | undefined;
  readonly signal: AbortSignal;
}

interface OfferedServers {
  readonly servers: readonly McpServer[];
  readonly calls?: InnerCalls;
  /** Tool names for the model, if its agent doesn't list tools before a search. */
  readonly instructions?: readonly { readonly title: string; readonly text: string }[];
}

/** Time limit in milliseconds for listing tools while a session opens. Later lists apply to the next session. */
const listLimitMs = 500;

/** A tool search shared by several sessions, since the agent gives all sessions the servers of the last one. */
interface SharedSearch {
  readonly servers: readonly McpServer[];
  readonly search: ToolSearchServer;
  readonly sessions: Set<SearchedSession>;
  readonly end: AbortController;
}

/** Decides whether an agent gets a session's servers directly or behind tool search. */
export class OfferedTools {
  readonly #shared = new Set<SharedSearch>();

  constructor(private readonly options: ToolSearchOptions) {}

  /** Treats a server that doesn't list its tools as one without tools. Never rejects. */
  async offer(servers: readonly McpServer[], session: SearchedSession): Promise<OfferedServers> {
    const { row, signal } = session;
    const settings = this.options.settings();
    if (servers.length === 0 || settings.mode === "off" || row?.deferredTools === "named") return { servers };
    const known = this.#sharedOf(servers, session);
    if (known) return this.#join(known, session);
    using limit = linkedSignal([signal], listLimitMs);
    const index = new ToolIndex(await Promise.all(servers.map((server) => toolsOf(server, limit.signal))));
    const form = toolFormOf(index, row, settings);
    if (form === "index") return { servers, instructions: indexInstructions(index) };
    if (form !== "search") return { servers };
    if (row?.sharesServers !== true) {
      const search = this.#search(index, signal, false);
      return { servers: [search], calls: new InnerCalls(search) };
    }
    // Another session may have created it during the wait.
    const shared = this.#sharedOf(servers, session) ?? this.#share(index, servers);
    return this.#join(shared, session);
  }

  #search(index: ToolIndex, signal: AbortSignal, isShared: boolean): ToolSearchServer {
    const { version, use } = this.options;
    const inUse = isShared ? [...this.#shared].map(({ search }) => search.name) : [];
    const taken = new Set([...index.servers.map(({ server }) => server.name), ...inUse]);
    return new ToolSearchServer({
      name: freeName(taken),
      version,
      isShared,
      servers: index.servers,
      direct: mostUsed(index, use),
      onCall: (server, tool) => use.note(server, tool),
      signal,
    });
  }

  #sharedOf(servers: readonly McpServer[], { row }: SearchedSession): SharedSearch | undefined {
    if (row?.sharesServers !== true) return undefined;
    const isSame = (one: SharedSearch): boolean =>
      one.servers.length === servers.length && one.servers.every((server, at) => server === servers[at]);
    return [...this.#shared].find(isSame);
  }

  #share(index: ToolIndex, servers: readonly McpServer[]): SharedSearch {
    const end = new AbortController();
    const shared = {
      servers,
      search: this.#search(index, end.signal, true),
      sessions: new Set<SearchedSession>(),
      end,
    };
    this.#shared.add(shared);
    return shared;
  }

  #join(shared: SharedSearch, session: SearchedSession): OfferedServers {
    const calls = new InnerCalls(shared.search);
    shared.sessions.add(session);
    const leave = (): void => {
      calls.end();
      shared.sessions.delete(session);
      if (shared.sessions.size > 0) return;
      this.#shared.delete(shared);
      shared.end.abort();
    };
    whenAborted(session.signal, leave);
    return { servers: [shared.search], calls };
  }
}

export async function toolsOf(server: McpServer, signal: AbortSignal): Promise<ServerTools> {
  const [tools, description] = await Promise.allSettled([listTools(server, signal), server.describe(signal)]);
  return {
    server,
    tools: tools.status === "fulfilled" ? tools.value : [],
    instructions: description.status === "fulfilled" ? description.value.instructions : undefined,
  };
}

/**
 * How a model gets tools: `all` with each request, through the `search` of Symposium, or through the agent's own search. That search lists
 * the `names`, or needs the `index` that Symposium writes.
 */
export type ToolForm = "all" | "search" | "names" | "index";

export function toolFormOf(
  { tools }: { readonly tools: readonly Pick<IndexedTool, "tool">[] },
  row: AgentRow | undefined,
  settings: ToolSearchSettings,
): ToolForm {
  const { mode, maxTools, maxBytes } = settings;
  if (row?.deferredTools !== undefined) return row.deferredTools === "named" ? "names" : "index";
  if (mode !== "auto") return mode === "always" && tools.length > 0 ? "search" : "all";
  const isTooMuch = tools.length > maxTools || tools.reduce((sum, { tool }) => sum + toolBytes(tool), 0) > maxBytes;
  return isTooMuch ? "search" : "all";
}

/** Returns the most-called tools within the limits. */
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

/** Returns a server name that is unique in the session, since agents use it in tool names. */
function freeName(taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? "tools" : `tools_${number}`;
    if (!taken.has(name)) return name;
  }
}

/** Returns the tool list for models that otherwise see no names; empty without tools. */
export function indexInstructions(index: ToolIndex): readonly { readonly title: string; readonly text: string }[] {
  if (index.tools.length === 0) return [];
  const intro =
    "In addition to your own tools you have these tools of MCP servers; find them with your search for tools:";
  const text = `${intro}\n${namesByServer(index, promptBytes - intro.length - 1)}`;
  return [{ title: "MCP server tools", text }];
}
