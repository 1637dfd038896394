import type { ToolContent, ToolResult } from "../../base/mcp/tool-server.js";
import type { MessagePart } from "../conversation-message.js";
import { asObject, type Members, textOf } from "../../base/rpc/json.js";
import { invalidRequest } from "./error-response.js";

/** Message from a client; `developer` becomes `system`, and tool results become user messages. */
export interface ChatMessage {
  readonly role: "system" | "user" | "assistant";
  readonly parts: readonly MessagePart[];
}

const roles: Readonly<Record<string, ChatMessage["role"]>> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
};

/** Reads `messages`. Throws an `ErrorResponse` that names the invalid message. */
export function chatMessages(value: unknown): readonly ChatMessage[] {
  if (!Array.isArray(value) || value.length === 0)
    throw invalidRequest("messages", "must be a non-empty list of messages.");
  return endingWithQuestion(
    "messages",
    value.map((item: unknown, index) => chatMessage(item, `messages[${index}]`)),
  );
}

/** Returns the messages unless the last one is from the assistant; then throws an `ErrorResponse` that names `parameter`. */
export function endingWithQuestion(parameter: string, messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const last = messages.at(-1);
  if (last && last.role !== "assistant") return messages;
  throw invalidRequest(parameter, "the last message must be from the user or be a tool result.");
}

/** Maps a client's role name; undefined if unknown. */
export function roleOf(name: unknown): ChatMessage["role"] | undefined {
  return typeof name === "string" && Object.hasOwn(roles, name) ? roles[name] : undefined;
}

/** Call of a client's tool; arguments that aren't JSON remain text. */
export function callPart(id: string, name: unknown, args: unknown): MessagePart {
  return { kind: "call", id, name: textOf(name), args: argumentsOf(args) };
}

export function resultMessage(id: string, parts: readonly MessagePart[]): ChatMessage {
  const content = parts.flatMap(toolContent);
  const result: ToolResult = { content: content.length > 0 ? content : [{ type: "text", text: "" }] };
  return { role: "user", parts: [{ kind: "result", id, result }] };
}

/** Reads a content: a text, or a list parsed by `read`. Throws an `ErrorResponse` for anything else. */
export function contentParts(
  content: unknown,
  where: string,
  read: (part: Members, where: string) => MessagePart,
): readonly MessagePart[] {
  if (content === "") return [];
  if (typeof content === "string") return [{ kind: "text", text: content }];
  if (!Array.isArray(content)) throw invalidRequest(where, "must be a string or a list of parts.");
  return content.map((part: unknown, index) => read(asObject(part) ?? {}, `${where}[${index}]`));
}

/** Reads an http URL or a data URL of an image. Throws an `ErrorResponse` for other URLs. */
export function imagePart(url: string, where: string): MessagePart {
  if (/^https?:/i.test(url)) return { kind: "link", url };
  const [, mimeType, data] = /^data:(image\/[\w.+-]+);base64,([\w+/=]+)$/.exec(url) ?? [];
  if (mimeType === undefined || data === undefined) {
    throw invalidRequest(where, "an image must be a base64 data: URL or an http address.");
  }
  return { kind: "image", mimeType, data };
}

function chatMessage(value: unknown, where: string): ChatMessage {
  const { role, content, tool_call_id: callId, tool_calls: calls } = asObject(value) ?? {};
  const parts = (): readonly MessagePart[] => contentParts(content ?? "", `${where}.content`, contentPart);
  if (role === "tool") {
    if (typeof callId !== "string") throw invalidRequest(`${where}.tool_call_id`, "must be a string.");
    return resultMessage(callId, parts());
  }
  const known = roleOf(role);
  if (!known) throw invalidRequest(`${where}.role`, "must be system, developer, user, assistant or tool.");
  if (known !== "assistant" || !Array.isArray(calls)) return { role: known, parts: parts() };
  return { role: known, parts: [...parts(), ...calls.map(toolCall)] };
}

function toolCall(value: unknown): MessagePart {
  const { id, function: called } = asObject(value) ?? {};
  const { name, arguments: args } = asObject(called) ?? {};
  return callPart(textOf(id), name, args);
}

function argumentsOf(value: unknown): unknown {
  if (typeof value !== "string") return value ?? {};
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

function contentPart({ type, text, refusal, image_url: image }: Members, where: string): MessagePart {
  if (type === "text" && typeof text === "string") return { kind: "text", text };
  if (type === "refusal" && typeof refusal === "string") return { kind: "text", text: refusal };
  const url = asObject(image)?.["url"];
  if (type !== "image_url" || typeof url !== "string") {
    throw invalidRequest(where, "only text and image_url parts are supported.");
  }
  return imagePart(url, where);
}

function toolContent(part: MessagePart): readonly ToolContent[] {
  if (part.kind === "text") return [{ type: "text", text: part.text }];
  if (part.kind === "link") return [{ type: "text", text: part.url }];
  return part.kind === "image" ? [{ type: "image", mimeType: part.mimeType, data: part.data }] : [];
}
