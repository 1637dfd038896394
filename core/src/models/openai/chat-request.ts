import type { ModelTool } from "../tool-list.js";
import { asObject, type Members } from "../../base/rpc/json.js";
import { type AnswerFormat, answerFormat } from "./answer-format.js";
import { chatMessages, type ChatMessage } from "./chat-message.js";
import { invalidRequest } from "./error-response.js";
import { requestTools } from "./request-tools.js";

/** The supported part of a `POST /v1/chat/completions` request. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly isStreaming: boolean;
  /** Whether a streamed answer ends with a usage event. */
  readonly includesUsage: boolean;
  readonly tools: readonly ModelTool[];
  /** Whether one answer may contain several tool calls. */
  readonly hasParallelCalls: boolean;
  /** Stop sequences: the answer ends before the first of these texts. */
  readonly stop: readonly string[];
  /** Requested answer format; absent for plain text. */
  readonly format?: AnswerFormat;
  /** Maximum answer length in UTF-16 units. */
  readonly mostCharacters?: number;
}

/** Request members that Symposium rejects because they would change the answer and no agent supports them. */
const refused: Readonly<Record<string, string>> = {
  audio: "agents don't produce audio.",
  functions: "not supported; describe functions in tools.",
  web_search_options: "not supported; agents search with their own tools.",
};

/**
 * Reads the body of a chat completion request. Throws an `ErrorResponse` that names a malformed or unsupported member. Ignores sampling
 * parameters, which agents don't have.
 */
export function parseChatRequest(body: unknown): ChatRequest {
  const request = asObject(body);
  if (!request) throw invalidRequest("body", "must be a JSON object.");
  const { model, stream, stream_options: streamOptions, n } = request;
  if (typeof model !== "string" || model === "") throw invalidRequest("model", "must be a model id.");
  if (n !== undefined && n !== null && n !== 1)
    throw invalidRequest("n", "must be 1; an agent gives one answer at a time.");
  for (const [member, why] of Object.entries(refused)) {
    if (request[member] !== undefined && request[member] !== null) throw invalidRequest(member, why);
  }
  const format = answerFormat(request["response_format"], "response_format");
  return {
    model,
    messages: chatMessages(request["messages"]),
    isStreaming: stream === true,
    includesUsage: asObject(streamOptions)?.["include_usage"] === true,
    tools: requestTools(request, "nested"),
    hasParallelCalls: request["parallel_tool_calls"] !== false,
    stop: stopSequences(request["stop"]),
    ...(format && { format }),
    ...answerLimit(request, ["max_completion_tokens", "max_tokens"]),
  };
}

/** Approximate characters per token in English, since agents report tokens only after an answer. */
const charactersPerToken = 4;

/** Reads a token limit from the first of `members` present. Throws an `ErrorResponse` if invalid. */
export function answerLimit(request: Members, members: readonly string[]): Pick<ChatRequest, "mostCharacters"> {
  const member = members.find((name) => (request[name] ?? undefined) !== undefined);
  if (member === undefined) return {};
  const tokens = request[member];
  if (typeof tokens !== "number" || !Number.isInteger(tokens) || tokens < 1) {
    throw invalidRequest(member, "must be a whole number above 0.");
  }
  return { mostCharacters: tokens * charactersPerToken };
}

/** Returns the request's stop sequences without empty ones, which some clients send. */
function stopSequences(value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const sequences = list.filter((sequence) => typeof sequence === "string");
  if (sequences.length < list.length) throw invalidRequest("stop", "must be a string or a list of strings.");
  return sequences.filter((sequence) => sequence !== "");
}
