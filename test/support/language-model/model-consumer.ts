import type { LmMessage, LmPart, LmTool } from "@symposium-dev/core";

/** One request to a language model, as consumers in an editor make it. */
export interface ModelQuestion {
  readonly messages: readonly LmMessage[];
  readonly tools?: readonly LmTool[];
  /** The chat that it belongs to, for consumers whose editor tells it. */
  readonly conversationId?: string;
}

/** How a request ended. */
export interface AnswerEnd {
  /** Error message that the consumer receives. */
  readonly error?: string;
}

/** The answer to one request while it comes. */
export interface ModelAnswer {
  /** Parts received so far. */
  readonly parts: readonly LmPart[];
  /** Resolves, and never rejects, when nothing more will come. */
  readonly ended: Promise<AnswerEnd>;
  /** Says that nobody wants more of it. */
  cancel(): void;
}

/** Sender of requests to a language model: the process alone, or an extension in a real editor. */
export interface ModelConsumer {
  ask(question: ModelQuestion): ModelAnswer;
}

/** The words in these parts, joined. */
export function textIn(parts: readonly LmPart[]): string {
  return parts.map((part) => (part.type === "text" ? part.value : "")).join("");
}

/** The tool calls among these parts. */
export function callsIn(parts: readonly LmPart[]): readonly ToolCallPart[] {
  return parts.filter((part) => part.type === "tool_call");
}

export type ToolCallPart = Extract<LmPart, { readonly type: "tool_call" }>;
