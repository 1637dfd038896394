import { messageOf } from "../base/symposium-error.js";
import {
  type McpCallContext,
  mcpError,
  type McpOutcome,
  mcpResult,
  type McpServer,
  type McpServerDescription,
} from "../base/mcp/mcp-server.js";
import { failedTool, ToolProgress, type ToolResult } from "../base/mcp/tool-server.js";
import { mcpMethods } from "../base/mcp/wire.js";
import { asObject, type Json, type Members, parsedObject } from "../base/rpc/json.js";
import { rpcErrorCodes } from "../base/rpc/rpc-error.js";
import {
  findTools,
  furtherToolEntries,
  furtherTools,
  type ListedTool,
  type ModelTool,
  toolList,
  type ToolList,
} from "./tool-list.js";

/** Calls a client's tool, known to the agent as `alias`, and resolves with the result. */
export type CallTool = (
  name: string,
  args: Members,
  signal: AbortSignal,
  alias: string,
) => Promise<ToolResult | string>;

interface ToolBridgeOptions {
  /** Server name; agents include it in tool names. */
  readonly name: string;
  readonly version: string;
  /** Instructions to a language model for using the tools as a whole. */
  readonly instructions: string;
  /** Whether the agent is Claude Code, which needs extra tool properties. */
  readonly isForClaude?: boolean;
  /** Called for each tool call, with the name that the client gave the tool. */
  readonly call: CallTool;
  readonly onLeftOut?: (name: string, reason: string) => void;
}

/** Milliseconds between progress messages, since agents and MCP clients time out silent calls while the user decides. */
const progressMs = 10_000;

/**
 * Offers the client's tools to one session as an MCP server, and announces changes to the list. Tools above the models' limit are available
 * through `find_tools` and `call_tool`.
 */
export class ToolBridge implements McpServer {
  readonly name: string;
  readonly #listeners = new Set<(method: string) => void>();
  #list: ToolList = { listed: [], further: [], leftOut: [] };
  #byAlias: ReadonlyMap<string, ListedTool> = new Map();
  #aliases: ReadonlySet<string> = new Set();
  #entries: McpOutcome = mcpResult({ tools: [] });
  #key = "[]";

  constructor(
    private readonly options: ToolBridgeOptions,
    tools: readonly ModelTool[] = [],
  ) {
    this.name = options.name;
    this.setTools(tools);
  }

  get aliases(): ReadonlySet<string> {
    return this.#aliases;
  }

  /** Sets the client's tools; returns whether they changed. */
  setTools(tools: readonly ModelTool[]): boolean {
    const key = JSON.stringify(tools);
    if (key === this.#key) return false;
    this.#key = key;
    this.#list = toolList(tools);
    const { listed, further, leftOut } = this.#list;
    this.#byAlias = new Map([...listed, ...further].map((tool) => [tool.alias, tool]));
    this.#aliases = new Set([...this.#byAlias.keys(), ...(further.length > 0 ? Object.values(furtherTools) : [])]);
    this.#entries = mcpResult({
      tools: [
        ...listed.map((tool) => toEntry(tool, this.options.isForClaude === true)),
        ...(further.length > 0 ? furtherToolEntries(further.length) : []),
      ],
    });
    for (const { name, reason } of leftOut) this.options.onLeftOut?.(name, reason);
    for (const listener of [...this.#listeners]) listener(mcpMethods.toolsChanged);
    return true;
  }

  subscribe(listener: (method: string) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  describe(): Promise<McpServerDescription> {
    const { name, version, instructions } = this.options;
    const capabilities = { tools: { listChanged: true } };
    return Promise.resolve({ serverInfo: { name, version }, capabilities, instructions });
  }

  async call(method: string, params: Json | undefined, context: McpCallContext): Promise<McpOutcome> {
    if (method === mcpMethods.toolsList) return this.#entries;
    if (method !== mcpMethods.toolsCall) {
      return mcpError(rpcErrorCodes.methodNotFound, `Method not found: ${method}`);
    }
    const { name, arguments: args, _meta: meta } = params?.object ?? {};
    const token = asObject(meta)?.["progressToken"];
    const given = asObject(args) ?? {};
    if (name === furtherTools.find && this.#list.further.length > 0) {
      return mcpResult(findTools(this.#list.further, given));
    }
    const isCarried = name === furtherTools.call && this.#list.further.length > 0;
    const wanted = isCarried ? given["name"] : name;
    const tool = this.#tool(wanted);
    if (!tool) return mcpResult(failedTool(`There is no tool ${JSON.stringify(wanted ?? null)} now.`));
    const called = { ...tool, alias: isCarried ? furtherTools.call : tool.alias };
    return this.#run(called, isCarried ? carriedArguments(given["arguments"]) : given, context, token);
  }

  #tool(name: unknown): ListedTool | undefined {
    if (typeof name !== "string") return undefined;
    return this.#byAlias.get(name) ?? [...this.#byAlias.values()].find((tool) => tool.name === name);
  }

  async #run(tool: ListedTool, args: Members, context: McpCallContext, token: unknown): Promise<McpOutcome> {
    using _changes = this.subscribe((method) => context.notify(method, undefined));
    const progress = new ToolProgress(context, token);
    let timer = later(report, progressMs);
    function report(): void {
      progress.progress("The editor is working on it.");
      timer = later(report, progressMs);
    }
    try {
      const answer = await this.options.call(tool.name, args, context.signal, tool.alias);
      return mcpResult(typeof answer === "string" ? { content: [{ type: "text", text: answer }] } : answer);
    } catch (thrown) {
      return context.signal.aborted
        ? mcpError(rpcErrorCodes.requestCancelled, "Request cancelled")
        : mcpResult(failedTool(messageOf(thrown)));
    } finally {
      clearTimeout(timer);
      progress.end();
    }
  }
}

/** Starts a timer that doesn't keep the process running. */
function later(callback: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(callback, ms);
  timer.unref?.();
  return timer;
}

/** Returns a tool call's arguments as an object, even if the model wrote them as JSON text. */
function carriedArguments(value: unknown): Members {
  return (typeof value === "string" ? parsedObject(value) : asObject(value)) ?? {};
}

/**
 * Returns the `tools/list` entry for a tool. Claude Code hides MCP tools from its model unless a property prevents that, and runs only
 * read-only tools in parallel. Marking all tools as read-only is harmless because the editor itself confirms tools that write, except that
 * plan mode can then call them.
 */
function toEntry({ alias, name, description, inputSchema }: ListedTool, isForClaude: boolean): unknown {
  return {
    name: alias,
    ...(alias !== name && { title: name }),
    description,
    inputSchema,
    ...(isForClaude && { annotations: { readOnlyHint: true } }),
    _meta: { "anthropic/alwaysLoad": true },
  };
}
