import type { AgentConnection } from "../model/agent-connection.js";
import type { ToldTurns } from "../model/told-turns.js";
import { type ChatMessage, textOfMessage } from "./chat-message.js";
import type { ChatRequest } from "./chat-request.js";

/** A session of an agent, and what its client has seen of it. */
export interface Conversation {
  readonly model: string;
  readonly connection: AgentConnection;
  readonly sessionId: string;
  /** The tools that the session was opened with. */
  readonly tools: string;
  /** One for every message of the history, as {@link keyOf} makes them. */
  keys: readonly string[];
  readonly turns: ToldTurns;
  /** Whether an answer is being told. */
  isTold: boolean;
  /** Milliseconds since 1970. */
  usedAt: number;
}

/** What makes two messages the same; clients trim and merge texts. Of images the length and the end tell enough. */
export function keyOf(message: ChatMessage): string {
  const { role, callId = "", callIds = [] } = message;
  const images = message.parts.flatMap((part) =>
    part.kind === "image" ? [part.data.length, part.data.slice(-64)] : [],
  );
  return JSON.stringify([role, callId, callIds, textOfMessage(message).trim(), images]);
}

/** What two requests must agree on to be of one session. */
export function toolsKey({ tools }: ChatRequest): string {
  return JSON.stringify(tools);
}

/**
 * How many messages of the request the conversation has behind it; undefined where the request does not go on with
 * it. What is new may only be the user's.
 */
export function continuedAt(
  conversation: Conversation,
  keys: readonly string[],
  request: ChatRequest,
): number | undefined {
  const { keys: known, turns, model, tools } = conversation;
  if (turns.phase !== "idle" || model !== request.model) return undefined;
  if (known.length === 0 || known.length >= keys.length) return undefined;
  // The schemas of all tools are the most to compare.
  if (known.some((key, index) => key !== keys[index]) || tools !== toolsKey(request)) return undefined;
  return request.messages.slice(known.length).every(({ role }) => role === "user") ? known.length : undefined;
}

/** The results of tools at the end of the request, by the ids of their calls; words of the user go with the last one. */
export function trailingResults({ messages }: ChatRequest): ReadonlyMap<string, string> {
  const start = messages.findLastIndex(({ role }) => role !== "tool" && role !== "user") + 1;
  const results = new Map<string, string>();
  let last: string | undefined;
  for (const message of messages.slice(start)) {
    if (message.callId !== undefined) {
      last = message.callId;
      results.set(last, textOfMessage(message));
    } else if (last !== undefined) {
      results.set(last, `${results.get(last) ?? ""}\n\nThe user adds: ${textOfMessage(message)}`);
    }
  }
  return results;
}
