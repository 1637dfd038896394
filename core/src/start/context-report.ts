import { homedir } from "node:os";
import { join } from "node:path";
import { redactText } from "../base/redact.js";
import { Logger } from "../base/logger.js";
import type { ContextItem } from "../context/context-item.js";
import { mcpResult, type McpServer } from "../mcp/mcp-server.js";
import { toolBytes } from "../mcp/server-connection.js";
import { mcpMethods } from "../mcp/wire.js";
import { configFolder } from "../node/own-program.js";
import type { AgentRow } from "../registry/agent-table.js";
import { ListFiles } from "../servers/node/lists-file.js";
import { ownServersOf } from "../servers/node/find-servers.js";
import { listsKey } from "../servers/server-hub.js";
import type { ServerLists } from "../servers/server-lists.js";
import { safeName } from "../servers/server-names.js";
import { tokensOf, toolCost } from "../servers/tool-cost.js";
import { toolFilter } from "../servers/tool-filter.js";
import type { ServerTools } from "../servers/tool-index.js";
import { type ToolForm, toolsOf } from "../servers/tool-search.js";
import type { Config } from "../settings/config.js";
import { defaultSettings } from "../settings/settings-table.js";
import type { UserServer } from "../settings/user-server.js";
import { FolderTrust } from "../trust/folder-trust.js";
import { TrustFile } from "../trust/node.js";
import { fileContextItems } from "./file-sources.js";
import { memoryItems } from "./memory-items.js";
import { Projects } from "./projects.js";

/** What an agent gets in a folder besides its user's words. */
export interface ContextReport {
  /** The agent's id; undefined for one that nobody knows. */
  readonly agent: string | undefined;
  /** Absolute. */
  readonly folder: string;
  readonly items: readonly ReportedItem[];
  /** How its model gets the tools of all servers that are sent, and what that takes in each request. */
  readonly tools: { readonly form: ToolForm; readonly count: number; readonly bytes: number; readonly tokens: number };
  /** What is sent of all of it, unasked. */
  readonly bytes: number;
  readonly tokens: number;
}

export interface ReportedItem extends Omit<ContextItem, "kind"> {
  readonly kind: ContextItem["kind"] | "server";
  readonly tokens: number;
  /** The names of a server's tools, as far as they are known; in the order of the server. */
  readonly tools?: readonly string[];
}

interface ContextQuestion {
  readonly cwd: string;
  readonly row: AgentRow | undefined;
  readonly config: Config | undefined;
  /** What a server needs and nobody has given, such as `${env:TOKEN}`. */
  readonly missing: (server: UserServer) => Promise<readonly string[]>;
}

/** Reads what there is, by the lists of last time: starts nothing. */
export async function contextReport({ cwd, row, config, missing }: ContextQuestion): Promise<ContextReport> {
  const store = new TrustFile();
  const projects = new Projects({ trust: new FolderTrust(store), store, logger: Logger.silent });
  const project = await (await projects.files()).read(cwd);
  const settings = config?.settings ?? defaultSettings;
  const memory = await memoryItems(cwd, config?.proxies);
  const items = [
    ...(await fileContextItems(cwd, row, { projects })),
    ...memory.map((item) => ({ ...item, tokens: tokensOf(item.bytes) })),
  ];
  const own = new Map(row ? (await ownServersOf(row.id, cwd)).map((one) => [safeName(one.name), one.file]) : []);
  const disabled = new Set(project.disabledServers);
  const lists = new ListFiles(join(configFolder(process.env, homedir()), "mcp-lists"), Logger.silent);
  const servers = await Promise.all(
    [...(config?.servers ?? []), ...project.servers].map(async (server) => {
      const kept = await lists.read(listsKey(server));
      const lacking = await missing(server);
      const reason = reasonAgainst(server, { row, own, disabled, lacking });
      return { server, reason, isKnown: kept !== undefined, tools: await keptTools(server, kept) };
    }),
  );
  const sent = servers.filter(({ reason }) => reason === undefined).map(({ tools }) => tools);
  const { form, bytes: toolsSize } = toolCost(sent, row, settings.toolSearch);
  const reported = [...items, ...servers.map((one) => reportedServer(one, form))];
  const bytes = items.reduce((sum, item) => sum + (item.isSent ? item.bytes : 0), toolsSize);
  const count = sent.reduce((sum, { tools }) => sum + tools.length, 0);
  return {
    agent: row?.id,
    folder: cwd,
    items: reported,
    tools: { form, count, bytes: toolsSize, tokens: tokensOf(toolsSize) },
    bytes,
    tokens: tokensOf(bytes),
  };
}

/** Why an agent does not get a server; undefined where it does. */
function reasonAgainst(
  { name, isEnabled, agents }: UserServer,
  {
    row,
    own,
    disabled,
    lacking,
  }: {
    readonly row: AgentRow | undefined;
    /** The agent's own servers, with their files. */
    readonly own: ReadonlyMap<string, string>;
    readonly disabled: ReadonlySet<string>;
    readonly lacking: readonly string[];
  },
): string | undefined {
  if (!isEnabled) return "switched off";
  if (agents && !agents.includes(row?.id ?? "")) return `for ${agents.join(", ")} only`;
  if (disabled.has(name)) return "the project switches it off";
  const file = own.get(safeName(name));
  if (file !== undefined) return `the agent has one of this name already, from ${file}`;
  return lacking.length === 0 ? undefined : `${lacking.join(", ")} has no value`;
}

const formReasons: Readonly<Record<ToolForm, string>> = {
  all: "its tools come with each request",
  search: "its tools are found by a search, their names come with each request",
  names: "the names of its tools come with each request, the agent searches",
  index: "the names of its tools come at the beginning, the agent searches",
};

function reportedServer(
  {
    server: { name, origin, launch },
    reason,
    isKnown,
    tools: { tools },
  }: {
    readonly server: UserServer;
    readonly reason: string | undefined;
    readonly isKnown: boolean;
    readonly tools: ServerTools;
  },
  form: ToolForm,
): ReportedItem {
  const bytes = tools.reduce((sum, tool) => sum + toolBytes(tool), 0);
  return {
    kind: "server",
    title: name,
    origin: origin.file ?? (launch.type === "stdio" ? launch.command : redactText(launch.url)),
    bytes,
    tokens: tokensOf(bytes),
    isSent: reason === undefined,
    reason: reason ?? (isKnown ? formReasons[form] : "its tools are known after its first session"),
    tools: tools.map((tool) => tool.name),
  };
}

/** What a server listed last time, without starting it. */
function keptTools(server: UserServer, lists: ServerLists | undefined): Promise<ServerTools> {
  const isGiven = toolFilter(server);
  const tools = (lists?.tools ?? []).filter(({ name }) => typeof name === "string" && isGiven(name));
  const kept: McpServer = {
    name: safeName(server.name),
    describe: () => Promise.resolve(lists?.description ?? { serverInfo: {}, capabilities: {} }),
    call: (method) => Promise.resolve(mcpResult(method === mcpMethods.toolsList ? { tools } : {})),
  };
  return toolsOf(kept, new AbortController().signal);
}
