import { Scope } from "../../base/scope.js";
import { argumentProblems, type JsonSchema } from "../../base/mcp/argument-check.js";
import {
  type McpCallContext,
  mcpError,
  type McpOutcome,
  mcpResult,
  type McpServer,
  type McpServerDescription,
} from "../../base/mcp/mcp-server.js";
import { listTools } from "../../base/mcp/in-process-client.js";
import { failedTool } from "../../base/mcp/tool-server.js";
import { mcpMethods } from "../../base/mcp/wire.js";
import { memberOf, withMember } from "../../base/rpc/json-edit.js";
import { asObject, Json, parsedObject, textOf } from "../../base/rpc/json.js";
import { rpcErrorCodes } from "../../base/rpc/rpc-error.js";
import { PromptsAndResources } from "./prompts-and-resources.js";
import { type IndexedTool, type ServerTools, ToolIndex } from "./tool-index.js";
import { longInstructions, namesByServer, resultsText, toolText } from "./tool-search-text.js";

/** Names of the tools that find and call all others. */
export const searchTools = { search: "search_tools", read: "call_read_tool", call: "call_tool" } as const;

const readTitle = "Call a read-only tool";
const callTitle = "Call a tool";
export const callTitles: ReadonlySet<string> = new Set([readTitle, callTitle]);

/** Maximum bytes of all tool names in the description of `search_tools`. */
const namesBytes = 6_000;
const usualResults = 5;
const mostResults = 20;

interface ToolSearchOptions {
  readonly name: string;
  readonly version: string;
  readonly isShared: boolean;
  readonly servers: readonly ServerTools[];
  /** Tools listed in addition to the search tools. */
  readonly direct: readonly IndexedTool[];
  /** Called after each successful tool call. */
  readonly onCall: (server: string, tool: string) => void;
  /** Aborted when the last session that uses this server ends. */
  readonly signal: AbortSignal;
}

/**
 * Combines a session's servers in one with a short list: models find tools with `search_tools` and call them with `call_tool` or, if
 * read-only, `call_read_tool`. Returns results unmodified. The list changes only between prompt turns, since models remember it; search and
 * calls see changes at once.
 */
export class ToolSearchServer implements McpServer {
  readonly name: string;
  readonly isShared: boolean;
  readonly callsOthers = true;
  readonly #lists: ServerTools[];
  readonly #others: PromptsAndResources;
  readonly #listeners = new Set<(method: string) => void>();
  /** Number of changes per server, used to discard outdated lists. */
  readonly #changes: number[];
  #index: ToolIndex;
  /** The tool list that the agent last got. */
  #published: readonly unknown[];
  #turns = 0;

  constructor(private readonly options: ToolSearchOptions) {
    this.name = options.name;
    this.isShared = options.isShared;
    this.#lists = [...options.servers];
    this.#changes = this.#lists.map(() => 0);
    this.#index = new ToolIndex(this.#lists);
    this.#published = this.#listed();
    this.#others = new PromptsAndResources(this.#lists.map(({ server }) => server));
    const scope = new Scope();
    for (const [place, { server }] of this.#lists.entries()) {
      const subscription = server.subscribe?.((method) => this.#changed(place, method));
      if (subscription) scope.add(subscription);
    }
    options.signal.addEventListener("abort", () => void scope[Symbol.asyncDispose](), { once: true });
  }

  get index(): ToolIndex {
    return this.#index;
  }

  /** Called when a prompt turn of a session with this server starts or ends. */
  turn(isRunning: boolean): void {
    this.#turns += isRunning ? 1 : -1;
    this.#publish();
  }

  async describe(signal: AbortSignal): Promise<McpServerDescription> {
    const instructions = longInstructions(this.#lists);
    return {
      serverInfo: { name: this.name, version: this.options.version },
      capabilities: { ...(await this.#others.capabilities(signal)), tools: { listChanged: true } },
      ...(instructions !== undefined && { instructions }),
    };
  }

  async call(method: string, params: Json | undefined, context: McpCallContext): Promise<McpOutcome> {
    if (method === mcpMethods.toolsList) return mcpResult({ tools: this.#published });
    if (method !== mcpMethods.toolsCall) return this.#others.call(method, params, context);
    const call = params ?? Json.of({});
    const { name, arguments: args = {} } = call.object ?? {};
    switch (name) {
      case searchTools.search:
        return this.#search(args);
      case searchTools.read:
      case searchTools.call:
        return this.#callInner(call, args, name === searchTools.read, context);
      default:
        return this.#callDirect(call, name, context);
    }
  }

  subscribe(listener: (method: string) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  #search(args: unknown): McpOutcome {
    const problems = argumentProblems(searchSchema, args);
    if (problems.length > 0) return mcpResult(failedTool(problems.join("\n")));
    const { query, limit } = asObject(args) ?? {};
    const found = this.#index.search(textOf(query));
    const text =
      found.length === 0
        ? `No tool matches ${JSON.stringify(query)}. Available tools:\n${namesByServer(this.#index, namesBytes)}`
        : resultsText(found, typeof limit === "number" ? limit : usualResults);
    return mcpResult({ content: [{ type: "text", text }] });
  }

  async #callInner(params: Json, outer: unknown, isRead: boolean, context: McpCallContext): Promise<McpOutcome> {
    const problems = argumentProblems(callSchema, outer);
    if (problems.length > 0) return mcpResult(failedTool(problems.join("\n")));
    const { name, arguments: given } = asObject(outer) ?? {};
    const found = this.#find(textOf(name));
    if (typeof found === "string") return mcpResult(failedTool(found));
    if (isRead && !found.tool.isReadOnly) {
      return mcpResult(failedTool(`"${found.label}" may change something. Call it with ${searchTools.call}.`));
    }
    const args = innerArguments(params, given);
    const faults = argumentProblems(found.tool.inputSchema, args.value);
    if (faults.length > 0 || !args.object) {
      return mcpResult(failedTool(`${faults.join("\n")}\n\n${toolText(found)}`));
    }
    return this.#forward(found, withMember(params, ["arguments"], args), context);
  }

  /** Calls a listed tool, or an unlisted tool that a model calls by its own name. */
  async #callDirect(params: Json, name: unknown, context: McpCallContext): Promise<McpOutcome> {
    const found = this.#find(typeof name === "string" ? name : JSON.stringify(name ?? null));
    if (typeof found === "string") return mcpError(rpcErrorCodes.invalidParams, found);
    return this.#forward(found, params, context);
  }

  async #forward(found: IndexedTool, params: Json, context: McpCallContext): Promise<McpOutcome> {
    const { server, tool } = found;
    const call = {
      server: server.name,
      originalServer: server.originalName ?? server.name,
      tool: tool.name,
      arguments: params.object?.["arguments"] ?? {},
    };
    const reason = await context.refuse?.(call, context.signal);
    if (reason !== undefined) return mcpResult(failedTool(reason));
    const outcome = await server.call(mcpMethods.toolsCall, withMember(params, ["name"], Json.of(tool.name)), context);
    if (!outcome.isError) {
      this.options.onCall(server.name, tool.name);
      return outcome;
    }
    const { code, message } = outcome.json.object ?? {};
    if (code !== rpcErrorCodes.invalidParams) return outcome;
    return mcpResult(
      failedTool(
        `${typeof message === "string" ? message : "The arguments don't match the tool's schema."}\n\n${toolText(found)}`,
      ),
    );
  }

  /** Returns the tool with this name, or an error message for the model. */
  #find(name: string): IndexedTool | string {
    const [first, ...others] = this.#index.named(name);
    if (first && others.length === 0) return first;
    if (first) return `Several tools are named "${name}": ${labels([first, ...others])}. Say which one.`;
    const similar = this.#index.search(name).slice(0, usualResults);
    const hint = similar.length > 0 ? `Similar ones: ${labels(similar)}.` : `Look for it with ${searchTools.search}.`;
    return `There is no tool "${name}". ${hint}`;
  }

  #changed(place: number, method: string): void {
    if (method !== mcpMethods.toolsChanged) this.#notify(method);
    else void this.#refresh(place);
  }

  async #refresh(place: number): Promise<void> {
    const known = this.#lists[place];
    if (!known) return;
    const change = (this.#changes[place] ?? 0) + 1;
    this.#changes[place] = change;
    try {
      const tools = await listTools(known.server, this.options.signal);
      if (this.#changes[place] !== change) return;
      this.#lists[place] = { ...known, tools };
      this.#index = new ToolIndex(this.#lists);
      this.#publish();
    } catch {
      // The server's own connection reports the error. Keep its last known tools.
    }
  }

  #publish(): void {
    if (this.#turns > 0) return;
    const listed = this.#listed();
    if (JSON.stringify(listed) === JSON.stringify(this.#published)) return;
    this.#published = listed;
    this.#notify(mcpMethods.toolsChanged);
  }

  #notify(method: string): void {
    for (const listener of [...this.#listeners]) listener(method);
  }

  #listed(): readonly unknown[] {
    const taken = new Set<string>(Object.values(searchTools));
    const direct = this.options.direct.flatMap(({ server, tool }) => {
      const now = this.#index.tools.find((one) => one.server === server && one.tool.name === tool.name);
      if (!now) return [];
      const name = directName(now);
      const [found, ...others] = this.#index.named(name);
      // Skips duplicate names and names that a call couldn't resolve to this tool.
      if (taken.has(name) || found !== now || others.length > 0) return [];
      taken.add(name);
      return [{ ...now.tool.entry, name }];
    });
    return [...searchEntries(this.#index), ...direct];
  }
}

/** Agents allow only letters, digits, `_` and `-`. */
function directName({ label }: IndexedTool): string {
  return label.replace(/[^\w-]/g, "_").slice(0, 64);
}

function labels(tools: readonly IndexedTool[]): string {
  return tools.map(({ label }) => label).join(", ");
}

/** Returns the unmodified arguments for the inner tool. Some models write the object as JSON text. */
function innerArguments(params: Json, given: unknown): Json {
  if (given === undefined) return Json.of({});
  const outer = memberOf(params, "arguments");
  const written = (outer && memberOf(outer, "arguments")) ?? Json.of(given);
  if (typeof given !== "string") return written;
  return parsedObject(given) ? Json.ofText(given) : written;
}

const searchSchema: JsonSchema = {
  type: "object",
  properties: {
    query: { type: "string", minLength: 1, description: "Words of what is to be done, or names of tools." },
    limit: { type: "integer", minimum: 1, maximum: mostResults, description: `How many; ${usualResults} if absent.` },
  },
  required: ["query"],
};

const callSchema: JsonSchema = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 1, description: "As listed." },
    arguments: { type: ["object", "string"], description: "Arguments that match the tool's input schema." },
  },
  required: ["name"],
};

/** The schema for models, which allows only an object. */
const shownCallSchema: JsonSchema = {
  ...callSchema,
  properties: {
    name: { type: "string", description: "As listed." },
    arguments: {
      type: "object",
      additionalProperties: true,
      description: "Arguments that match the tool's input schema.",
    },
  },
};

export function searchEntries(index: ToolIndex): readonly unknown[] {
  const names = namesByServer(index, namesBytes);
  return [
    {
      name: searchTools.search,
      description: `Finds tools of MCP servers, with their descriptions and the schemas of their arguments. They are called with ${searchTools.read} (marked *, read-only) or ${searchTools.call}; look one up before its first call. All tools by server:\n${names}`,
      inputSchema: searchSchema,
      annotations: { title: "Find tools", readOnlyHint: true, openWorldHint: false },
    },
    {
      name: searchTools.read,
      description: `Calls a tool that is marked read-only in the list of ${searchTools.search}.`,
      inputSchema: shownCallSchema,
      annotations: { title: readTitle, readOnlyHint: true },
    },
    {
      name: searchTools.call,
      description: `Calls a tool from the list of ${searchTools.search}.`,
      inputSchema: shownCallSchema,
      annotations: { title: callTitle, readOnlyHint: false },
    },
  ];
}
