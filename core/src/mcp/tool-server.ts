import { messageOf, SymposiumError } from "../base/symposium-error.js";
import { asObject, type Json } from "../rpc/json.js";
import { rpcErrorCodes } from "../rpc/rpc-error.js";
import { argumentProblems, type JsonSchema } from "./argument-check.js";
import type { McpCallContext, McpOutcome, McpServer, McpServerDescription } from "./mcp-server.js";
import { mcpError, mcpResult } from "./outcome.js";
import { ToolProgress } from "./tool-progress.js";
import type { Prompt, Tool, ToolResult } from "./tool.js";

export interface ToolServerOptions {
  readonly name: string;
  readonly version: string;
  /** Tells a language model what the server as a whole is for. */
  readonly instructions?: string;
  readonly tools: readonly Tool[];
  readonly prompts?: readonly Prompt[];
}

/** An MCP server made of tools and prompts of this process. Lists keep the order in which they were given. */
export class ToolServer implements McpServer {
  readonly name: string;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #prompts: ReadonlyMap<string, Prompt>;

  /** Throws `invalid-component` when two tools, or two prompts, have the same name. */
  constructor(private readonly options: ToolServerOptions) {
    this.name = options.name;
    this.#tools = byName(options.name, "tools", options.tools);
    this.#prompts = byName(options.name, "prompts", options.prompts ?? []);
  }

  describe(): Promise<McpServerDescription> {
    const { name, version, instructions } = this.options;
    return Promise.resolve({
      serverInfo: { name, version },
      capabilities: { tools: {}, ...(this.#prompts.size > 0 && { prompts: {} }) },
      ...(instructions !== undefined && { instructions }),
    });
  }

  async call(method: string, params: Json | undefined, context: McpCallContext): Promise<McpOutcome> {
    if (method === "tools/list") return mcpResult({ tools: [...this.#tools.values()].map(toToolEntry) });
    if (method === "tools/call") return this.#callTool(params?.object ?? {}, context);
    if (this.#prompts.size > 0) {
      if (method === "prompts/list") return mcpResult({ prompts: [...this.#prompts.values()].map(toPromptEntry) });
      if (method === "prompts/get") return this.#getPrompt(params?.object ?? {});
    }
    return mcpError(rpcErrorCodes.methodNotFound, `Method not found: ${method}`);
  }

  async #callTool(params: Readonly<Record<string, unknown>>, context: McpCallContext): Promise<McpOutcome> {
    const { name } = params;
    const tool = typeof name === "string" ? this.#tools.get(name) : undefined;
    if (tool === undefined) return this.#unknown("tool", name, this.#tools);
    const args = params["arguments"] ?? {};
    const problems = argumentProblems(toInputSchema(tool.inputSchema), args);
    const object = asObject(args);
    if (problems.length > 0 || object === undefined) return mcpResult(failedTool(problems.join("\n")));
    const progress = new ToolProgress(context, asObject(params["_meta"])?.["progressToken"]);
    try {
      const answer = await tool.call(object, progress);
      return mcpResult(typeof answer === "string" ? { content: [{ type: "text", text: answer }] } : answer);
    } catch (thrown) {
      return context.signal.aborted
        ? mcpError(rpcErrorCodes.requestCancelled, "Request cancelled")
        : mcpResult(failedTool(messageOf(thrown)));
    } finally {
      progress.end();
    }
  }

  async #getPrompt(params: Readonly<Record<string, unknown>>): Promise<McpOutcome> {
    const { name } = params;
    const prompt = typeof name === "string" ? this.#prompts.get(name) : undefined;
    if (prompt === undefined) return this.#unknown("prompt", name, this.#prompts);
    const args = params["arguments"] ?? {};
    const problems = argumentProblems(toPromptSchema(prompt), args);
    if (problems.length > 0) return invalidParams(problems.join("\n"));
    const texts = Object.entries(asObject(args) ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    );
    try {
      const text = await prompt.render(Object.fromEntries(texts));
      const messages = [{ role: "user", content: { type: "text", text } }];
      return mcpResult({ description: prompt.description, messages });
    } catch (thrown) {
      return mcpError(rpcErrorCodes.internalError, messageOf(thrown));
    }
  }

  #unknown(kind: string, name: unknown, known: ReadonlyMap<string, unknown>): McpOutcome {
    const names = [...known.keys()].join(", ");
    return invalidParams(`MCP server "${this.name}" has no ${kind} ${JSON.stringify(name ?? null)}. It has: ${names}.`);
  }
}

function byName<T extends { readonly name: string }>(
  server: string,
  kind: string,
  items: readonly T[],
): Map<string, T> {
  const map = new Map<string, T>();
  for (const item of items) {
    if (map.has(item.name)) {
      throw new SymposiumError(
        "invalid-component",
        `MCP server "${server}" has two ${kind} named "${item.name}".`,
        "Give each a name of its own.",
      );
    }
    map.set(item.name, item);
  }
  return map;
}

function toToolEntry({ name, title, description, inputSchema, annotations }: Tool): unknown {
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    inputSchema: toInputSchema(inputSchema),
    ...(annotations !== undefined && { annotations }),
  };
}

function toPromptEntry({ name, title, description, arguments: args }: Prompt): unknown {
  return { name, ...(title !== undefined && { title }), description, ...(args !== undefined && { arguments: args }) };
}

/** Some agents drop a tool whose schema says neither that it is an object nor which properties it has. */
function toInputSchema(schema: JsonSchema): JsonSchema {
  return { ...schema, type: "object", properties: asObject(schema["properties"]) ?? {} };
}

/** Prompt arguments are strings (MCP `GetPromptRequest`). */
function toPromptSchema(prompt: Prompt): JsonSchema {
  const args = prompt.arguments ?? [];
  return {
    type: "object",
    properties: Object.fromEntries(args.map(({ name }) => [name, { type: "string" }])),
    required: args.filter((argument) => argument.required === true).map(({ name }) => name),
    additionalProperties: false,
  };
}

function failedTool(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

function invalidParams(message: string): McpOutcome {
  return mcpError(rpcErrorCodes.invalidParams, message);
}
