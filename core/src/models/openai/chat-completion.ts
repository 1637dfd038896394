import type { CalledTool } from "../answer-sink.js";

export type FinishReason = "stop" | "length" | "content_filter" | "tool_calls";

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

export interface AnswerEnd {
  readonly finishReason: FinishReason;
  /** Absent if the agent doesn't report tokens. */
  readonly usage?: Usage;
}

export interface CompletionHead {
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly model: string;
}

/** Piece of a streamed answer. `reasoning_content` contains thoughts, as with DeepSeek and others. */
export interface Delta {
  readonly role?: "assistant";
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly unknown[];
}

export function completionChunk(head: CompletionHead, delta: Delta, finishReason: FinishReason | null = null): unknown {
  return { ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finishReason }] };
}

/** Returns the usage event that follows the answer's last event, for clients that request usage. */
export function usageChunk(head: CompletionHead, usage: Usage | undefined): unknown {
  return { ...head, object: "chat.completion.chunk", choices: [], usage: usage ?? null };
}

export function completion(
  head: CompletionHead,
  { content, reasoning, calls }: { content: string; reasoning: string; calls: readonly CalledTool[] },
  { finishReason, usage }: AnswerEnd,
): unknown {
  const message = {
    role: "assistant",
    content: content === "" && calls.length > 0 ? null : content,
    refusal: null,
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map(toolCallOf) }),
  };
  const choices = [{ index: 0, message, finish_reason: finishReason, logprobs: null }];
  return { ...head, object: "chat.completion", choices, ...(usage && { usage }) };
}

export function toolCallOf({ id, name, args }: CalledTool): { readonly id: string } {
  const call = { id, type: "function", function: { name, arguments: JSON.stringify(args) } };
  return call;
}
