import type { AnswerSink } from "./answer-sink.js";
import type { AgentConnection, OpenAgent } from "./agent-connection.js";
import type { ConversationMessage } from "./conversation-message.js";
import type { AskUser, PermissionPolicy } from "./session-permissions.js";
import type { ModelTool } from "./tool-list.js";

/** Handling of the client's system message: at the start of the prompt, after the agent's own, or omitted. */
type SystemPromptUse = "pass" | "append" | "drop";

export interface ModelRequest {
  /** The agent's chain. Requests with the same `key` share one chain. */
  readonly agent: { readonly key: string; readonly open: OpenAgent };
  /** Key of the settings that are fixed for a session, serialized. A request continues a session only if their keys match. */
  readonly sessionKey: string;
  /** Absolute working folder of a new session. */
  readonly cwd: string;
  /** Normalized messages without system messages. */
  readonly messages: readonly ConversationMessage[];
  readonly systemText: string;
  readonly systemPromptUse: SystemPromptUse;
  /** The client's tools that the agent may call. */
  readonly tools: readonly ModelTool[];
  /** Whether the client sends any tools, callable or not. */
  readonly bringsTools: boolean;
  /** Whether the client's conversations always include tools, so that a request without tools is for a title or summary. */
  readonly clientAlwaysBringsTools: boolean;
  readonly isToolRequired: boolean;
  /** Whether one answer may contain several calls. */
  readonly hasParallelCalls: boolean;
  /** Stop sequences: the answer ends before the first of these texts. */
  readonly stop: readonly string[];
  readonly permissions: PermissionPolicy;
  /** The client's tool for asking its user for permission; undefined if the request doesn't include the tool. */
  readonly permissionTool: string | undefined;
  /** Whether the request fails if it has images and the agent doesn't accept images. If false, the prompt mentions the images in words. */
  readonly requiresImages: boolean;
  /** The client's own id of the conversation, if any. */
  readonly conversationId: string | undefined;
  readonly initiator: string | undefined;
  readonly configOptions: Readonly<Record<string, string>>;
}

export interface ModelListener {
  readonly sink: AnswerSink;
  readonly askUser?: AskUser;
  /** Called with the agent's response to opening the session, unless the session was forked from another session. */
  onOpened?(connection: AgentConnection, result: Readonly<Record<string, unknown>>): void;
  /** Returns text to append to a finished answer. `text` is the answer so far. */
  closingWords?(text: string, stopReason: string): string;
}

export interface TokenUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
}

/** Tokens in the agent's context, as the agent reports them. */
export interface ContextUse {
  readonly used: number;
  readonly size: number;
}

export interface ModelAnswer {
  /**
   * ACP's stop reason; `tool_calls`: the turn continues with the results of this answer's calls; `stop_sequence`: the answer reached a
   * sequence of the request.
   */
  readonly stopReason: string;
  readonly usage?: TokenUsage;
  readonly context?: ContextUse;
}
