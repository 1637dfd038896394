import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { redactText } from "../../../base/redact.js";
import { Logger } from "../../../base/logger.js";
import type { ContextItem } from "../../../context/context-item.js";
import type { CountedItem } from "../../../context/node/context-items.js";
import { mcpResult, type McpServer } from "../../../base/mcp/mcp-server.js";
import { toolBytes } from "../../../base/mcp/in-process-client.js";
import { mcpMethods } from "../../../base/mcp/wire.js";
import { configFolder } from "../../../base/node/own-program.js";
import type { AgentRow } from "../../../agents/registry/agent-table.js";
import { ListFiles } from "../../../context/servers/node/lists-file.js";
import { ownServersOf } from "../../../context/servers/node/find-servers.js";
import { listsKey } from "../../../context/servers/server-hub.js";
import type { ServerLists } from "../../../context/servers/server-lists.js";
import { safeName } from "../../../context/servers/server-names.js";
import { tokensOf, toolCost } from "../../../context/servers/tool-cost.js";
import { toolFilter } from "../../../context/servers/tool-filter.js";
import type { ServerTools } from "../../../context/servers/tool-index.js";
import { type ToolForm, toolsOf } from "../../../context/servers/direct-or-searched-tools.js";
import type { Config } from "../../../settings/config.js";
import { defaultSettings } from "../../../settings/settings-table.js";
import { fileKey, isPath, serverPrefix } from "../../../settings/context-exclusions.js";
import type { ServerOrigin, UserServer } from "../../../settings/user-server.js";
import { FolderTrust } from "../../../settings/trust/folder-trust.js";
import { TrustFile } from "../../../settings/trust/node/trust-file.js";
import { type ExtensionTools, extensionTools } from "./extension-tools.js";
import { fileContextItems } from "../../session-context.js";
import { type KnownServer, knownServers } from "../mcp/servers-for-folder.js";
import { Projects } from "../../../guard/node/guarded-projects.js";
import { utf8Length } from "../../../base/text-bounds.js";
import { sparkleCommands } from "../../../extensions/sparkle/commands.js";
import { SparkleMemory } from "../../../extensions/sparkle/memory.js";
import { memoryContext } from "../../../extensions/sparkle/memory-context.js";
import { sparkleServices } from "../../../extensions/sparkle/node.js";
import { parseSparkleOptions } from "../../../extensions/sparkle/sparkle-options.js";
import type { ProxyEntry } from "../../../settings/proxy-entry.js";

export interface ContextReport {
  readonly agent: string | undefined;
  readonly folder: string;
  readonly items: readonly ReportedItem[];
  /** Form in which the model gets the tools of all servers, and their size in each request. */
  readonly tools: { readonly form: ToolForm; readonly count: number; readonly bytes: number; readonly tokens: number };
  /** Size of the available slash commands, each sent only when called. */
  readonly commands: { readonly count: number; readonly bytes: number; readonly tokens: number };
  /** Total size that a session sends without any request for it, excluding `commands`. */
  readonly bytes: number;
  readonly tokens: number;
}

export interface ReportedItem extends Omit<ContextItem, "kind"> {
  readonly kind: ContextItem["kind"] | "extension" | "server";
  readonly tokens: number;
  readonly tools?: readonly string[];
  /** Tools of a server hidden from agents by its entry, by the project, or by `context.exclude`. */
  readonly offTools?: readonly string[];
  /** Name for `context off` and `context on`; absent if switching would change nothing. */
  readonly switch?: { readonly name: string; readonly isOff: boolean };
  readonly from?: ServerOrigin["kind"];
  readonly needsApproval?: true;
}

interface ContextQuestion {
  readonly cwd: string;
  readonly row: AgentRow | undefined;
  readonly config: Config | undefined;
  /** Extensions before the agent; undefined for all built-in extensions. */
  readonly proxies: readonly ProxyEntry[] | undefined;
  readonly missing: (server: UserServer) => Promise<readonly string[]>;
}

export async function contextReport({ cwd, row, config, proxies, missing }: ContextQuestion): Promise<ContextReport> {
  const settings = config?.settings ?? defaultSettings;
  const store = new TrustFile();
  const trust = new FolderTrust(store);
  const projects = new Projects({ trust, store, logger: Logger.silent });
  const files = await fileContextItems(cwd, row, { projects });
  const memory = await memoryItems(cwd, proxies);
  const items = [
    ...files.map((item) => switchedItem(item, settings.context.exclude, cwd)),
    ...memory.map((item) => ({ ...item, tokens: tokensOf(item.bytes) })),
    ...(await extensionTools(cwd, proxies, { settings, trust })).map(reportedExtension),
  ];
  const own = new Map(row ? (await ownServersOf(row.id, cwd)).map((one) => [safeName(one.name), one.file]) : []);
  const lists = new ListFiles(join(configFolder(), "mcp-lists"), Logger.silent);
  const servers = await Promise.all(
    (await knownServers(cwd, config)).map(async (known) => {
      const kept = await lists.read(listsKey(known.server));
      const lacking = await missing(known.server);
      const reason = reasonAgainst(known, { row, own, lacking });
      return { known, reason, kept, tools: await keptTools(known.server, kept) };
    }),
  );
  const sent = servers.filter(({ reason }) => reason === undefined).map(({ tools }) => tools);
  const { form, bytes: toolsSize } = toolCost(sent, row, settings.toolSearch);
  const reported = [...items, ...servers.map((one) => reportedServer(one, form))];
  const sentItems = items.filter((item) => item.isSent);
  const commands = sentItems.filter(({ kind }) => kind === "command");
  const commandBytes = bytesOf(commands);
  const bytes = bytesOf(sentItems) - commandBytes + toolsSize;
  const count = sent.reduce((sum, { tools }) => sum + tools.length, 0);
  return {
    agent: row?.id,
    folder: cwd,
    items: reported,
    tools: { form, count, bytes: toolsSize, tokens: tokensOf(toolsSize) },
    commands: { count: commands.length, bytes: commandBytes, tokens: tokensOf(commandBytes) },
    bytes,
    tokens: tokensOf(bytes),
  };
}

function reportedExtension({ name, tools, bytes, isOn }: ExtensionTools): ReportedItem {
  const reason = isOn ? formReasons.all : "switched off";
  return {
    kind: "extension",
    title: name,
    origin: "built-in",
    bytes,
    tokens: tokensOf(bytes),
    isSent: isOn,
    reason,
    tools,
  };
}

function bytesOf(items: readonly ReportedItem[]): number {
  return items.reduce((sum, item) => sum + item.bytes, 0);
}

/** Adds a switch to a file's item, unless something other than `exclude` hides the item. */
function switchedItem(item: CountedItem, exclude: readonly string[], folder: string): ReportedItem {
  const isOff = !item.isSent && namesOf(item, exclude, folder).length > 0;
  if (!item.isSent && !isOff) return item;
  return { ...item, switch: { name: fileKey(item.origin, homedir()), isOff } };
}

export function namesOf(
  { title, origin }: Pick<ReportedItem, "title" | "origin">,
  exclude: readonly string[],
  folder: string,
): readonly string[] {
  const home = homedir();
  return exclude.filter(
    (one) => one === title || isPath(one, origin, home) || isPath(resolve(folder, one), origin, home),
  );
}

function reasonAgainst(
  { server: { name, agents }, needsApproval, offBy }: KnownServer,
  {
    row,
    own,
    lacking,
  }: {
    readonly row: AgentRow | undefined;
    readonly own: ReadonlyMap<string, string>;
    readonly lacking: readonly string[];
  },
): string | undefined {
  if (needsApproval) return "you have not allowed the project's files to add it";
  if (offBy !== undefined) return offBy === "project" ? "the project switches it off" : "switched off";
  if (agents && !agents.includes(row?.id ?? "")) return `for ${agents.join(", ")} only`;
  const file = own.get(safeName(name));
  if (file !== undefined) return `the agent already has a server with this name, from ${file}`;
  return lacking.length === 0 ? undefined : `no value for ${lacking.join(", ")}`;
}

const formReasons: Readonly<Record<ToolForm, string>> = {
  all: "its tools are sent with each request",
  search: "its tool names are sent with each request; tools are found by search",
  names: "its tool names are sent with each request; the agent searches for tools",
  index: "its tool names are sent at the beginning; the agent searches for tools",
};

function reportedServer(
  {
    known: { server, offBy, needsApproval },
    reason,
    kept,
    tools: { tools },
  }: {
    readonly known: KnownServer;
    readonly reason: string | undefined;
    readonly kept: ServerLists | undefined;
    readonly tools: ServerTools;
  },
  form: ToolForm,
): ReportedItem {
  const { name, origin, launch } = server;
  const bytes = tools.reduce((sum, tool) => sum + toolBytes(tool), 0);
  const isGiven = toolFilter(server);
  const offTools = (kept?.tools ?? []).map((tool) => String(tool["name"])).filter((tool) => !isGiven(tool));
  const isOff = offBy === "exclude" || (offBy === "entry" && origin.kind === "user");
  const canSwitch = isOff || (offBy === undefined && !needsApproval);
  return {
    kind: "server",
    title: name,
    origin: origin.file ?? (launch.type === "stdio" ? launch.command : redactText(launch.url)),
    bytes,
    tokens: tokensOf(bytes),
    isSent: reason === undefined,
    reason: reason ?? (kept === undefined ? "its tools are known after its first session" : formReasons[form]),
    tools: tools.map((tool) => tool.name),
    offTools,
    from: origin.kind,
    ...(needsApproval && { needsApproval: true as const }),
    ...(canSwitch && { switch: { name: `${serverPrefix}${name}`, isOff } }),
  };
}

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

const origin = "sparkle";

/**
 * Returns the items that Sparkle adds to sessions in a folder: its memory and its commands. If `proxies` is undefined, all built-in
 * extensions are on.
 */
async function memoryItems(cwd: string, proxies: readonly ProxyEntry[] | undefined): Promise<readonly ContextItem[]> {
  const entry = proxies?.find(({ name }) => name === origin);
  if (proxies && !entry) return [];
  const isOn = entry?.enabled ?? true;
  const options = parseSparkleOptions(entry?.options);
  const snapshot = await new SparkleMemory(sparkleServices(homedir()), cwd).snapshot(() => undefined);
  const text = options.embodiment ? memoryContext(snapshot, options) : undefined;
  const state = (reason: string): Pick<ContextItem, "isSent" | "reason"> => ({
    isSent: isOn,
    reason: isOn ? reason : "switched off",
  });
  return [
    ...(text === undefined
      ? []
      : [
          {
            kind: "memory" as const,
            title: "Sparkle",
            origin,
            bytes: utf8Length(text),
            ...state("with the first prompt of a new session"),
          },
        ]),
    ...sparkleCommands
      .filter(({ tool }) => options.tools.has(tool))
      .map(({ name, toInstruction }) => ({
        kind: "command" as const,
        title: `/${name}`,
        origin,
        bytes: utf8Length(toInstruction("")),
        ...state("when the user calls it"),
      })),
  ];
}
