/** The methods between an editor's extension and `vscodelm`: JSON-RPC 2.0, one message a line. */
export const lmMethods = {
  /** {@link InformationParams} → {@link InformationResult} */
  information: "lm/provideLanguageModelChatInformation",
  /** {@link ResponseParams} → {@link ResponseResult}, after the last part and `responseComplete` */
  response: "lm/provideLanguageModelChatResponse",
  /** `{modelId, text}` → `{count}`; the extension itself estimates, since the editor asks thousands of times */
  tokenCount: "lm/provideTokenCount",
  /** Notification to the extension: `{requestId, part}` */
  responsePart: "lm/responsePart",
  /** Notification to the extension: `{requestId}` */
  responseComplete: "lm/responseComplete",
  /** Notification to the process: `{requestId}`; the request is answered all the same */
  cancel: "lm/cancel",
  /** Request to the extension, where the editor has no `symposium-agent-action`: {@link PermissionParams} → {@link PermissionResult} */
  permission: "lm/requestPermission",
} as const;

/** The editor's tool by which a person allows what an agent wants to do itself. */
export const agentActionTool = "symposium-agent-action";

/** What the agent is, in each form that was ever sent; `readAgentDefinition` reads them all. */
export type AgentDefinition =
  | { readonly eliza: { readonly deterministic?: boolean } }
  /** A known agent or one of the registry, by its id. */
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

/**
 * Which tools the model works with: its agent's own (`agent`), those and the editor's (`hybrid`), the editor's alone
 * (`raw`).
 */
export type Exposure = "agent" | "hybrid" | "raw";

/** What becomes of the editor's system message: the prompt begins with it, it follows the agent's own, it is left out. */
export type SystemPromptUse = "pass" | "append" | "drop";

/**
 * The MCP servers of the editor's settings, in the format of config.jsonc: agents get them beside the user's own, save in
 * `raw`. They hold for agents that start.
 */
export type EditorServers = Readonly<Record<string, unknown>>;

/** An agent that is to be a model. */
export interface OfferedAgent {
  readonly id: string;
  readonly name: string;
  readonly agent: AgentDefinition;
}

export interface InformationParams {
  /** Whether nothing may be started or asked: then the answer has only what is known already. */
  readonly silent?: boolean;
  readonly agents: readonly OfferedAgent[];
  /** The working folder of the session by which an agent's models are learnt. */
  readonly folder?: string;
  readonly mcpServers?: EditorServers;
}

/** The members have the meaning of VS Code's `LanguageModelChatInformation`. */
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
  /** The config options of the agent that make this model, by their ids. */
  readonly configOptions?: Readonly<Record<string, string>>;
}

export interface InformationResult {
  readonly models: readonly ModelInformation[];
  /** Agents that could not be asked, and why. */
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
  /** `result` is a text, or parts of any kind, as the editor gave them. */
  | { readonly type: "tool_result"; readonly toolCallId: string; readonly result: unknown; readonly isError?: boolean }
  /** `data` in base64. */
  | { readonly type: "data"; readonly mimeType: string; readonly data: string }
  /** From the process only: tokens of the turn so far, and how full the agent's context is. */
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
  /** JSON schema; editors leave it out, send `null`, `{}` or one without a `type`. */
  readonly inputSchema?: unknown;
}

export interface ResponseParams {
  /** What parts and cancellations call this request by; the id of the JSON-RPC request where it is absent. */
  readonly requestId?: number | string;
  readonly modelId: string;
  readonly agent: AgentDefinition;
  readonly messages: readonly LmMessage[];
  readonly options?: { readonly tools?: readonly LmTool[]; readonly toolMode?: "auto" | "required" };
  /** The editor's own id of the chat, where it has one. */
  readonly conversationId?: string;
  /** Who asks: the id of an extension. */
  readonly initiator?: string;
  /** The working folder of a new session; absolute. */
  readonly folder?: string;
  readonly exposure?: Exposure;
  readonly systemPrompt?: SystemPromptUse;
  /** Of the chosen model: set in a new session before its first prompt. */
  readonly configOptions?: Readonly<Record<string, string>>;
  readonly mcpServers?: EditorServers;
}

export interface ResponseResult {
  /** ACP's word for why the agent's turn ended, or `tool_calls` where it goes on with the results of this answer's calls. */
  readonly stopReason?: string;
}

export interface PermissionParams {
  readonly requestId: number | string;
  readonly title: string;
  readonly kind?: string;
  /** What the agent is about to do, as it says. */
  readonly rawInput?: unknown;
}

export interface PermissionResult {
  readonly outcome: "allow" | "reject" | "cancelled";
}

/** The input of {@link agentActionTool}. */
export interface AgentActionInput {
  readonly title: string;
  readonly kind?: string;
  readonly raw_input?: unknown;
}
