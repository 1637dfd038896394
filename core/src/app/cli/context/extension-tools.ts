import { acpMethods } from "../../../base/acp/methods.js";
import { Logger } from "../../../base/logger.js";
import { utf8Length } from "../../../base/text-bounds.js";
import { ideOperationNames } from "../../../base/ide-operations/wire.js";
import { withIdeOperations } from "../../../base/ide-operations/capability.js";
import { listTools, toolBytes } from "../../../base/mcp/in-process-client.js";
import type { McpServer } from "../../../base/mcp/mcp-server.js";
import { Watchdog } from "../../../base/node/orphan-watchdog.js";
import { Request } from "../../../base/rpc/message.js";
import { nobody } from "../../../base/rpc/peer.js";
import type { ProxyEntry } from "../../../settings/proxy-entry.js";
import type { Settings } from "../../../settings/settings-table.js";
import type { FolderTrust } from "../../../settings/trust/folder-trust.js";
import { builtInProxies, type ProxyParts } from "../../built-in-proxies.js";

export interface ExtensionTools {
  readonly name: string;
  readonly tools: readonly string[];
  readonly bytes: number;
  readonly isOn: boolean;
}

const unconfined = { confined: undefined, languageServers: undefined, isReadable: undefined };

/**
 * Lists the tools that built-in proxies add to sessions in a folder. Starts no program; omits proxies without tools for the folder. If
 * `proxies` is undefined, all built-in proxies are on.
 */
export async function extensionTools(
  cwd: string,
  proxies: readonly ProxyEntry[] | undefined,
  { settings, trust }: { readonly settings: Settings; readonly trust: FolderTrust },
): Promise<readonly ExtensionTools[]> {
  using watchdog = new Watchdog();
  const parts: ProxyParts = { ...unconfined, logger: Logger.silent, watchdog, trust, settings };
  const found: ExtensionTools[] = [];
  for (const proxy of builtInProxies) {
    const entry = proxies?.find(({ name }) => name === proxy.name);
    if (proxies && !entry) continue;
    const made = await proxy.make(entry?.options ?? {}, parts);
    found.push(...(await toolsOf(made, cwd)).map((one) => ({ ...one, isOn: entry?.enabled ?? true })));
  }
  return found;
}

async function toolsOf(
  proxy: Awaited<ReturnType<(typeof builtInProxies)[number]["make"]>>,
  cwd: string,
): Promise<readonly Omit<ExtensionTools, "isOn">[]> {
  const ending = new AbortController();
  const handlers = proxy.connect({ client: nobody, successor: nobody, logger: Logger.silent });
  try {
    // Simulates the operations that an editor or its adapter would announce.
    const initialize = new Request(acpMethods.initialize, withIdeOperations(undefined, ideOperationNames));
    handlers.clientRequests?.[acpMethods.initialize]?.(initialize, () => undefined);
    const servers = handlers.mcpServers?.({ sessionId: undefined, cwd, signal: ending.signal }) ?? [];
    return await Promise.all(servers.map((server) => costOf(proxy.name, server, ending.signal)));
  } finally {
    ending.abort();
    await handlers[Symbol.asyncDispose]?.();
  }
}

async function costOf(name: string, server: McpServer, signal: AbortSignal): Promise<Omit<ExtensionTools, "isOn">> {
  const [tools, { instructions = "" }] = await Promise.all([listTools(server, signal), server.describe(signal)]);
  const bytes = tools.reduce((sum, tool) => sum + toolBytes(tool), utf8Length(instructions));
  return { name, tools: tools.map((tool) => tool.name), bytes };
}
