import { messageOf, SymposiumError } from "../symposium-error.js";
import { asObject, Json } from "../rpc/json.js";
import { rpcErrorCodes } from "../rpc/rpc-error.js";
import { argumentProblems, type JsonSchema } from "./argument-check.js";
import {
  type McpCallContext,
  mcpError,
  type McpOutcome,
  mcpResult,
  type McpServer,
  type McpServerDescription,
} from "./mcp-server.js";
import { metaKeys } from "./wire.js";

export interface ToolContext {
  readonly signal: AbortSignal;
  /**
   * Reports progress if the caller requested it. `progress` counts up to `total` in any unit; by default, each report adds one. Reports
   * without an increase aren't sent.
   */
  progress(message: string, progress?: number, total?: number): void;
}

export type ToolContent = Readonly<Record<string, unknown>> & { readonly type: string };

/** Result of a tool call (MCP `CallToolResult`). `content` contains the same information as `structuredContent`, as text. */
export interface ToolResult {
  readonly content: readonly ToolContent[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: boolean;
}

export interface Tool {
  /** At most 64 letters, digits, `_` and `-`, which every agent accepts. Unique in the server. */
  readonly name: string;
  readonly title?: string;
  /** Explains to a language model the tool's purpose and when to use it. */
  readonly description: string;
  /** Object schema; `type` and `properties` are added if absent. */
  readonly inputSchema: JsonSchema;
  /** MCP hints, such as `{readOnlyHint: true}`. */
  readonly annotations?: Readonly<Record<string, unknown>>;
  /**
   * Runs the tool with arguments valid for `inputSchema`. A string becomes a text result; an exception becomes a failed result with message
   * and hint, so that the model can react.
   */
  call(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult | string>;
}

export interface Prompt {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly arguments?: readonly PromptArgument[];
  render(args: Readonly<Record<string, string>>): string | Promise<string>;
}

interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
}

export interface ToolServerOptions {
  readonly name: string;
  readonly version: string;
  readonly instructions?: string;
  readonly tools: readonly Tool[];
  readonly prompts?: readonly Prompt[];
}

/**
 * MCP server with tools and prompts of this process, listed in the given order. Models should use these few tools unprompted, so Claude's
 * tool search must not hide them.
 */
export class ToolServer implements McpServer {
  readonly name: string;
  readonly #tools: ReadonlyMap<string, Tool>;
  readonly #prompts: ReadonlyMap<string, Prompt>;

  /** Throws `invalid-component` if two tools or two prompts have the same name. */
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
    if (method === "tools/list") {
      const isClaude = /claude/i.test(context.clientName ?? "");
      return mcpResult({ tools: [...this.#tools.values()].map((tool) => toToolEntry(tool, isClaude)) });
    }
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
        "Give them different names.",
      );
    }
    map.set(item.name, item);
  }
  return map;
}

/** Only Claude hides tools behind a search; `alwaysLoad` prevents that. Other agents don't get the additional bytes. */
function toToolEntry({ name, title, description, inputSchema, annotations }: Tool, isClaude: boolean): unknown {
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    inputSchema: toInputSchema(inputSchema),
    ...(annotations !== undefined && { annotations }),
    ...(isClaude && { _meta: { [metaKeys.alwaysLoad]: true } }),
  };
}

function toPromptEntry({ name, title, description, arguments: args }: Prompt): unknown {
  return { name, ...(title !== undefined && { title }), description, ...(args !== undefined && { arguments: args }) };
}

/** Some agents drop a tool if its schema lacks `type` or `properties`. */
function toInputSchema(schema: JsonSchema): JsonSchema {
  return { ...schema, type: "object", properties: asObject(schema["properties"]) ?? {} };
}

/** Returns the schema of a prompt's arguments, which are strings (MCP `GetPromptRequest`). */
function toPromptSchema(prompt: Prompt): JsonSchema {
  const args = prompt.arguments ?? [];
  return {
    type: "object",
    properties: Object.fromEntries(args.map(({ name }) => [name, { type: "string" }])),
    required: args.filter((argument) => argument.required === true).map(({ name }) => name),
    additionalProperties: false,
  };
}

export function failedTool(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

function invalidParams(message: string): McpOutcome {
  return mcpError(rpcErrorCodes.invalidParams, message);
}

/** Progress reports of one tool call. Sends increasing values, only to a caller with a token, and none after {@link end}. */
export class ToolProgress implements ToolContext {
  /** Last reported progress; undefined before the first report, which may be 0. */
  #last: number | undefined;
  #isOpen = true;

  constructor(
    private readonly context: McpCallContext,
    /** `_meta.progressToken` of the request, a string or integer. Undefined if the caller wants no progress. */
    private readonly token: unknown,
  ) {}

  get signal(): AbortSignal {
    return this.context.signal;
  }

  progress(message: string, progress = (this.#last ?? 0) + 1, total?: number): void {
    if (!this.#isOpen || this.token === undefined) return;
    if (this.#last !== undefined && progress <= this.#last) return;
    this.#last = progress;
    this.context.notify(
      "notifications/progress",
      Json.of({ progressToken: this.token, progress, ...(total !== undefined && { total }), message }),
    );
  }

  end(): void {
    this.#isOpen = false;
  }
}
