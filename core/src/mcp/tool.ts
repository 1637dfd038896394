import type { JsonSchema } from "./argument-check.js";

/** What a tool may use while it runs. */
export interface ToolContext {
  /** Aborted when the caller gave the call up. */
  readonly signal: AbortSignal;
  /**
   * Reports progress to a caller that asked for it. `progress` counts up toward `total`, in any unit; when
   * absent, each report counts one more. A report that does not advance is not sent.
   */
  progress(message: string, progress?: number, total?: number): void;
}

/** An MCP content block, such as `{type: "text", text}`. */
export type ToolContent = Readonly<Record<string, unknown>> & { readonly type: string };

/** What a tool call brings (MCP `CallToolResult`). `content` also says in text what `structuredContent` holds. */
export interface ToolResult {
  readonly content: readonly ToolContent[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  /** True when the tool ran and failed. */
  readonly isError?: boolean;
}

/** A tool that this process offers over MCP. */
export interface Tool {
  /** Letters, digits, `_` and `-`, at most 64: what every agent accepts. Unique in its server. */
  readonly name: string;
  readonly title?: string;
  /** Tells a language model what the tool does and when to use it. */
  readonly description: string;
  /** Of an object; `type` and `properties` are added when they are absent. */
  readonly inputSchema: JsonSchema;
  /** MCP hints, such as `{readOnlyHint: true}`. */
  readonly annotations?: Readonly<Record<string, unknown>>;
  /**
   * Runs with arguments that fit `inputSchema`. A string is a text result. What it throws becomes a failed
   * result with the message and the hint, so a language model can do better.
   */
  call(args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult | string>;
}

/** A prompt that this process offers over MCP. */
export interface Prompt {
  /** Unique in its server. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly arguments?: readonly PromptArgument[];
  /** The text of the prompt's one user message. */
  render(args: Readonly<Record<string, string>>): string | Promise<string>;
}

export interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
}
