/** Methods between an editor's extension and `vscodelm`: JSON-RPC 2.0, one message per line. */
export const lmMethods = {
  /** {@link InformationParams} → {@link InformationResult} */
  information: "lm/provideLanguageModelChatInformation",
  /** {@link ResponseParams} → {@link ResponseResult}, after the last part and `responseComplete` */
  response: "lm/provideLanguageModelChatResponse",
  /** `{modelId, text}` → `{count}`; the extension estimates itself, since the editor asks thousands of times */
  tokenCount: "lm/provideTokenCount",
  /** Notification to the extension: `{requestId, part}` */
  responsePart: "lm/responsePart",
  /** Notification to the extension: `{requestId}` */
  responseComplete: "lm/responseComplete",
  /** Notification to the process: `{requestId}`. The process still answers the cancelled request. */
  cancel: "lm/cancel",
  /** Request to the extension if the editor has no `symposium-agent-action`: {@link PermissionParams} → {@link PermissionResult} */
  permission: "lm/requestPermission",
} as const;

/** Name of the editor's tool with which the user allows or refuses an agent's action. */
export const agentActionTool = "symposium-agent-action";

/** Agent definition in any form that a released client has sent; `readAgentDefinition` parses the forms. */
export type AgentDefinition =
  | { readonly eliza: { readonly deterministic?: boolean } }
  /** Id of a known or registry agent. */
  | string
  | { readonly mcp_server: AgentCommand }
  | AgentCommand;

export interface AgentCommand {
  readonly id?: string;
  readonly name?: string;
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[] | Readonly<Record<string, string>>;
}

/** Tools for the model: the agent's own (`agent`), the agent's and the editor's (`hybrid`), or only the editor's (`raw`). */
export type Exposure = "agent" | "hybrid" | "raw";

/** Handling of the editor's system message: at the start of the prompt, after the agent's own, or omitted. */
export type SystemPromptUse = "pass" | "append" | "drop";

/**
 * MCP servers from the editor's settings, in the format of config.jsonc. Newly started agents get them in addition to the user's own,
 * except in `raw`.
 */
export type EditorServers = Readonly<Record<string, unknown>>;

export interface OfferedAgent {
  readonly id: string;
  readonly name: string;
  readonly agent: AgentDefinition;
}

export interface InformationParams {
  /** Whether to answer without starting or querying agents; the answer then contains only models that are already known. */
  readonly silent?: boolean;
  readonly agents: readonly OfferedAgent[];
  /** Working folder of the session that queries an agent's models. */
  readonly folder?: string;
  readonly mcpServers?: EditorServers;
}

/** Information about a model; the members mean the same as in VS Code's `LanguageModelChatInformation`. */
export interface ModelInformation {
  readonly id: string;
  readonly name: string;
  readonly family: string;
  readonly version: string;
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
  readonly tooltip?: string;
  readonly detail?: string;
  readonly capabilities: { readonly toolCalling: boolean | number; readonly imageInput: boolean };
  readonly agentId: string;
  /** The agent's config options that select this model, by id. */
  readonly configOptions?: Readonly<Record<string, string>>;
}

export interface InformationResult {
  readonly models: readonly ModelInformation[];
  readonly problems?: readonly { readonly agentId: string; readonly message: string }[];
}

export type LmPart =
  | { readonly type: "text"; readonly value: string }
  | { readonly type: "thinking"; readonly value: string }
  | {
      readonly type: "tool_call";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly parameters: unknown;
    }
  /** Tool result; `result` is a text or a list of parts in the editor's own format. */
  | { readonly type: "tool_result"; readonly toolCallId: string; readonly result: unknown; readonly isError?: boolean }
  /** Data such as an image; `data` is base64. */
  | { readonly type: "data"; readonly mimeType: string; readonly data: string }
  /** Token usage of the turn so far, and the size of the agent's context. Only the process sends this part. */
  | {
      readonly type: "usage";
      readonly inputTokens?: number;
      readonly outputTokens?: number;
      readonly contextUsed?: number;
      readonly contextSize?: number;
    };

export interface LmMessage {
  readonly role: "user" | "assistant" | "system";
  readonly name?: string;
  readonly content: readonly LmPart[];
}

export interface LmTool {
  readonly name: string;
  readonly description?: string;
  /** JSON schema; editors may omit it, or send `null`, `{}` or a schema without `type`. */
  readonly inputSchema?: unknown;
}

export interface ResponseParams {
  /** Id of this request in parts and cancellations; default: the JSON-RPC request's id. */
  readonly requestId?: number | string;
  readonly modelId: string;
  readonly agent: AgentDefinition;
  readonly messages: readonly LmMessage[];
  readonly options?: { readonly tools?: readonly LmTool[]; readonly toolMode?: "auto" | "required" };
  /** The editor's own chat id, if any. */
  readonly conversationId?: string;
  /** Id of the requesting extension. */
  readonly initiator?: string;
  /** Absolute working folder of a new session. */
  readonly folder?: string;
  readonly exposure?: Exposure;
  readonly systemPrompt?: SystemPromptUse;
  /** Options of the chosen model, set in a new session before its first prompt. */
  readonly configOptions?: Readonly<Record<string, string>>;
  readonly mcpServers?: EditorServers;
}

export interface ResponseResult {
  /** ACP's stop reason, or `tool_calls` if the turn continues with the results of this answer's calls. */
  readonly stopReason?: string;
}

export interface PermissionParams {
  readonly requestId: number | string;
  readonly title: string;
  readonly kind?: string;
  readonly rawInput?: unknown;
}

export interface PermissionResult {
  readonly outcome: "allow" | "reject" | "cancelled";
}

export interface AgentActionInput {
  readonly title: string;
  readonly kind?: string;
  readonly raw_input?: unknown;
}
