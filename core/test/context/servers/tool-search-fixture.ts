import {
  type McpCallContext,
  mcpError,
  type McpOutcome,
  mcpResult,
  type McpServer,
  type McpServerDescription,
} from "../../../src/base/mcp/mcp-server.js";
import { type Tool, ToolServer } from "../../../src/base/mcp/tool-server.js";
import { CountedUse } from "../../../src/context/servers/tool-call-counts.js";
import { OfferedTools } from "../../../src/context/servers/direct-or-searched-tools.js";
import { ToolSearchServer } from "../../../src/context/servers/tool-search-server.js";
import { asObject, Json } from "../../../src/base/rpc/json.js";
import { defaultSettings, type ToolSearchSettings } from "../../../src/settings/settings-table.js";

/** A tool that says what it was called with. */
export function tool(name: string, description: string, rest: Partial<Tool> = {}): Tool {
  const call = (args: unknown) => Promise.resolve(`${name} ${JSON.stringify(args)}`);
  return { name, description, inputSchema: { properties: {} }, call, ...rest };
}

export function server(name: string, tools: readonly Tool[], instructions?: string): ToolServer {
  return new ToolServer({ name, version: "1", tools, ...(instructions !== undefined && { instructions }) });
}

/** As many tools as `count`, which do nothing of interest. */
export function manyTools(count: number): readonly Tool[] {
  return Array.from({ length: count }, (_none, at) => tool(`filler_${at}`, `Does the thing number ${at}.`));
}

export const quiet: McpCallContext = { signal: new AbortController().signal, notify: () => undefined };

export function searches(settings: Partial<ToolSearchSettings> = {}, use = new CountedUse()): OfferedTools {
  return new OfferedTools({ settings: () => ({ ...defaultSettings.toolSearch, ...settings }), version: "1", use });
}

/** The servers behind a search, whatever their number. */
export async function searched(
  servers: readonly McpServer[],
  { use = new CountedUse(), signal = quiet.signal }: { use?: CountedUse; signal?: AbortSignal } = {},
): Promise<ToolSearchServer> {
  const offered = await searches({ mode: "always" }, use).offer(servers, { row: undefined, signal });
  const [search] = offered.servers;
  if (!(search instanceof ToolSearchServer)) throw new Error("There is no search.");
  return search;
}

export async function call(
  on: McpServer,
  name: string,
  args: unknown,
  context: McpCallContext = quiet,
): Promise<McpOutcome> {
  return on.call("tools/call", Json.of({ name, arguments: args }), context);
}

/** The text of a result, after `failed: ` where the call failed. */
export async function textOf(outcome: Promise<McpOutcome>): Promise<string> {
  const { isError, json } = await outcome;
  const { content, isError: hasFailed, message } = json.object ?? {};
  if (isError) return `error: ${String(message)}`;
  const texts = (content as readonly { readonly text: string }[]).map(({ text }) => text).join("\n");
  return hasFailed === true ? `failed: ${texts}` : texts;
}

export async function entriesOf(
  on: McpServer,
): Promise<readonly { readonly name: string; readonly description: string }[]> {
  const { json } = await on.call("tools/list", undefined, quiet);
  return json.object?.["tools"] as readonly { readonly name: string; readonly description: string }[];
}

/** A server whose lists a test changes. */
export class ChangingServer implements McpServer {
  readonly #listeners = new Set<(method: string) => void>();
  tools: readonly unknown[] = [];
  resources: readonly unknown[] = [];

  constructor(readonly name: string) {}

  get listeners(): number {
    return this.#listeners.size;
  }

  describe(): Promise<McpServerDescription> {
    const capabilities = { tools: { listChanged: true }, ...(this.resources.length > 0 && { resources: {} }) };
    return Promise.resolve({ serverInfo: {}, capabilities });
  }

  call(method: string, params: Json | undefined): Promise<McpOutcome> {
    const { uri, name } = params?.object ?? {};
    const has = this.resources.some((one) => asObject(one)?.["uri"] === uri);
    if (method === "tools/list") return Promise.resolve(mcpResult({ tools: this.tools }));
    if (method === "tools/call") return Promise.resolve(mcpResult({ content: [{ type: "text", text: String(name) }] }));
    if (method === "resources/list" && this.resources.length > 0) {
      return Promise.resolve(mcpResult({ resources: this.resources }));
    }
    if (method === "resources/read" && has) return Promise.resolve(mcpResult({ contents: [{ uri, text: this.name }] }));
    return Promise.resolve(mcpError(-32601, `Method not found: ${method}`));
  }

  subscribe(listener: (method: string) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  emit(method: string): void {
    for (const listener of this.#listeners) listener(method);
  }
}
