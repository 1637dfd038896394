import type { AnswerSink } from "./answer-sink.js";
import type { AgentConnection, OpenAgent } from "./agent-connection.js";
import type { ConversationMessage } from "./conversation-message.js";
import type { AskUser, PermissionPolicy } from "./session-permissions.js";
import type { ModelTool } from "./tool-list.js";

/** What becomes of the client's system message: the prompt begins with it, it follows the agent's own, it is left out. */
type SystemPromptUse = "pass" | "append" | "drop";

/** One request to an agent as a language model, whatever wire it came over. */
export interface ModelRequest {
  /** The agent's chain: requests with the same key share it. */
  readonly agent: { readonly key: string; readonly open: OpenAgent };
  /** What a session cannot change, as one text: a request goes on in sessions with the same one only. */
  readonly sessionKey: string;
  /** The working folder of a new session; absolute. */
  readonly cwd: string;
  /** Normalised; without what the system says. */
  readonly messages: readonly ConversationMessage[];
  readonly systemText: string;
  readonly systemPromptUse: SystemPromptUse;
  /** Tools of the client that the agent may call. */
  readonly tools: readonly ModelTool[];
  /** Whether the client brings any tools, for the agent or not. */
  readonly bringsTools: boolean;
  /** Whether the client's conversations always bring tools: a request without any is a title or a summary then. */
  readonly clientAlwaysBringsTools: boolean;
  readonly isToolRequired: boolean;
  /** Whether one answer may have several calls. */
  readonly hasParallelCalls: boolean;
  /** Before the first of these texts the answer ends. */
  readonly stop: readonly string[];
  readonly permissions: PermissionPolicy;
  /** The client's tool by which its user allows what an agent wants to do; only where the request brings it. */
  readonly permissionTool: string | undefined;
  /** Whether an agent that takes no images fails the request; else the prompt says that there was one. */
  readonly requiresImages: boolean;
  /** The client's own id of the conversation, where it has one. */
  readonly conversationId: string | undefined;
  /** Who asks, where the client says so. */
  readonly initiator: string | undefined;
  /** Config options of the agent, set before the prompt. */
  readonly configOptions: Readonly<Record<string, string>>;
}

/** The client's side of one request. */
export interface ModelListener {
  readonly sink: AnswerSink;
  /** By whom the user can be asked while the request is answered. */
  readonly askUser?: AskUser;
  /** Called when a session was opened for the request, and not forked, with the result of what opened it. */
  onOpened?(connection: AgentConnection, result: Readonly<Record<string, unknown>>): void;
  /** Words that end the answer of a turn that is over; `text` is what it said. */
  closingWords?(text: string, stopReason: string): string;
}

/** Tokens of one turn, as far as the agent counts them. */
export interface TokenUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
}

/** How full the agent's context is, in tokens, as it says. */
export interface ContextUse {
  readonly used: number;
  readonly size: number;
}

/** How an answer ended. */
export interface ModelAnswer {
  /**
   * ACP's word for why the agent's turn ended; `tool_calls`: it goes on with the results of this answer's calls;
   * `stop_sequence`: one of the request's was met.
   */
  readonly stopReason: string;
  readonly usage?: TokenUsage;
  readonly context?: ContextUse;
}
