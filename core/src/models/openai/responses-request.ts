import { asObject, type Members, stringOf } from "../../base/rpc/json.js";
import type { MessagePart } from "../conversation-message.js";
import {
  callPart,
  type ChatMessage,
  contentParts,
  endingWithQuestion,
  imagePart,
  resultMessage,
  roleOf,
} from "./chat-message.js";
import { answerLimit, type ChatRequest } from "./chat-request.js";
import { answerFormat } from "./answer-format.js";
import { invalidRequest } from "./error-response.js";
import { requestTools } from "./request-tools.js";

/** The supported part of a `POST /v1/responses` request. */
export interface ResponsesRequest extends Pick<
  ChatRequest,
  "model" | "isStreaming" | "tools" | "hasParallelCalls" | "format" | "mostCharacters"
> {
  /** Instructions for this answer only. */
  readonly instructions: string | undefined;
  readonly input: readonly ChatMessage[];
  readonly previousId: string | undefined;
  /** Whether another request may continue the answer. */
  readonly isStored: boolean;
  /** Members of the request that the answer repeats. */
  readonly echoed: { readonly tools: unknown; readonly tool_choice: "auto" | "none"; readonly metadata: unknown };
}

/** Request members that Symposium rejects because they would change the answer and no agent supports them. */
const refused: Readonly<Record<string, string>> = {
  background: "not supported; the client must wait for the answer.",
  conversation: "not supported; use previous_response_id.",
  prompt: "stored prompts aren't supported.",
};

/**
 * Reads the body of a response request. Throws an `ErrorResponse` that names a malformed or unsupported member. Ignores sampling
 * parameters, which agents don't have.
 */
export function parseResponsesRequest(body: unknown): ResponsesRequest {
  const request = asObject(body);
  if (!request) throw invalidRequest("body", "must be a JSON object.");
  const { model, previous_response_id: previousId } = request;
  if (typeof model !== "string" || model === "") throw invalidRequest("model", "must be a model id.");
  for (const [member, why] of Object.entries(refused)) {
    if (isGiven(request[member])) throw invalidRequest(member, why);
  }
  const format = answerFormat(asObject(request["text"])?.["format"], "text.format");
  return {
    model,
    instructions: instructionsOf(request),
    input: inputMessages(request["input"]),
    previousId: stringOf(previousId),
    isStreaming: request["stream"] === true,
    isStored: request["store"] !== false,
    tools: requestTools(request, "flat"),
    hasParallelCalls: request["parallel_tool_calls"] !== false,
    ...(format && { format }),
    ...answerLimit(request, ["max_output_tokens"]),
    echoed: {
      tools: request["tools"] ?? [],
      tool_choice: request["tool_choice"] === "none" ? "none" : "auto",
      metadata: request["metadata"] ?? {},
    },
  };
}

/** Converts the request to a chat completion that follows `history`. */
export function asChatRequest(request: ResponsesRequest, history: readonly ChatMessage[]): ChatRequest {
  const { model, instructions, input, isStreaming, tools, hasParallelCalls, format, mostCharacters } = request;
  const system: readonly ChatMessage[] =
    instructions === undefined ? [] : [{ role: "system", parts: [{ kind: "text", text: instructions }] }];
  const messages = endingWithQuestion("input", [...system, ...history, ...input]);
  return {
    model,
    messages,
    isStreaming,
    includesUsage: true,
    tools,
    hasParallelCalls,
    stop: [],
    ...(format && { format }),
    ...(mostCharacters !== undefined && { mostCharacters }),
  };
}

function instructionsOf({ instructions }: Members): string | undefined {
  if (!isGiven(instructions)) return undefined;
  if (typeof instructions === "string") return instructions;
  throw invalidRequest("instructions", "must be a string.");
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

/**
 * Reads `input`: a text, or a list of messages, calls, results and thoughts. Merges consecutive texts and calls of the assistant into one
 * message and skips thoughts. Throws an `ErrorResponse` that names the item.
 */
function inputMessages(value: unknown): readonly ChatMessage[] {
  if (typeof value === "string") return [{ role: "user", parts: [{ kind: "text", text: value }] }];
  if (!Array.isArray(value)) throw invalidRequest("input", "must be a string or a list of items.");
  const messages: ChatMessage[] = [];
  for (const [index, item] of value.entries()) {
    const message = messageOf(asObject(item) ?? {}, `input[${index}]`);
    if (!message) continue;
    const last = messages.at(-1);
    if (message.role !== "assistant" || last?.role !== "assistant") messages.push(message);
    else messages.splice(-1, 1, { role: "assistant", parts: [...last.parts, ...message.parts] });
  }
  return messages;
}

function messageOf(item: Members, where: string): ChatMessage | undefined {
  const { type = "message", role, content, call_id: callId, name, arguments: args, output } = item;
  switch (type) {
    case "message": {
      const known = roleOf(role);
      if (!known) throw invalidRequest(`${where}.role`, "must be system, developer, user or assistant.");
      return { role: known, parts: contentParts(content, `${where}.content`, partOf) };
    }
    case "function_call":
      return { role: "assistant", parts: [callPart(idOf(callId, where), name, args)] };
    case "function_call_output":
      return resultMessage(idOf(callId, where), contentParts(output, `${where}.output`, partOf));
    case "reasoning":
      return undefined;
    default:
      throw invalidRequest(`${where}.type`, `items of type ${JSON.stringify(type)} aren't supported.`);
  }
}

function idOf(callId: unknown, where: string): string {
  if (typeof callId === "string") return callId;
  throw invalidRequest(`${where}.call_id`, "must be a string.");
}

function partOf({ type, text, refusal, image_url: url }: Members, where: string): MessagePart {
  if ((type === "input_text" || type === "output_text") && typeof text === "string") return { kind: "text", text };
  if (type === "refusal" && typeof refusal === "string") return { kind: "text", text: refusal };
  if (type === "input_image" && typeof url === "string") return imagePart(url, where);
  throw invalidRequest(where, "only input_text, output_text and input_image parts are supported.");
}
