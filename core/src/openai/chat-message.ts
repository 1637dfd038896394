import { asObject } from "../rpc/json.js";
import { invalidRequest } from "./openai-failure.js";

/** A piece of a message. */
export type ChatPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly mimeType: string; readonly data: string }
  | { readonly kind: "link"; readonly url: string };

/** A message of a conversation; `developer` counts as `system`. */
export interface ChatMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly parts: readonly ChatPart[];
  /** Of a `tool` message: which call it answers. */
  readonly callId?: string;
  /** Of an `assistant` message: the calls it made. */
  readonly callIds?: readonly string[];
}

const roles: Readonly<Record<string, ChatMessage["role"]>> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
  tool: "tool",
};

/** Reads `messages`. Throws an `OpenAiFailure` that names the message. */
export function chatMessages(value: unknown): readonly ChatMessage[] {
  if (!Array.isArray(value) || value.length === 0) throw invalidRequest("messages", "a list of messages is expected.");
  return endingWithQuestion(
    "messages",
    value.map((item: unknown, index) => chatMessage(item, `messages[${index}]`)),
  );
}

/** The messages, if there is something to answer at their end; throws an `OpenAiFailure` for `parameter` otherwise. */
export function endingWithQuestion(parameter: string, messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const last = messages.at(-1);
  if (last && last.role !== "assistant") return messages;
  throw invalidRequest(parameter, "the last one has to be the user's, or the result of a tool, and not the answer.");
}

/** The role of a name that clients use; undefined for others. */
export function roleOf(name: unknown): ChatMessage["role"] | undefined {
  return typeof name === "string" && Object.hasOwn(roles, name) ? roles[name] : undefined;
}

/** The texts of a message, joined. */
export function textOfMessage({ parts }: ChatMessage): string {
  return parts.map((part) => (part.kind === "text" ? part.text : part.kind === "link" ? part.url : "[image]")).join("");
}

function chatMessage(value: unknown, where: string): ChatMessage {
  const { role, content, tool_call_id: callId, tool_calls: calls } = asObject(value) ?? {};
  const known = roleOf(role);
  if (!known) throw invalidRequest(`${where}.role`, "system, developer, user, assistant or tool is expected.");
  if (known === "tool" && typeof callId !== "string")
    throw invalidRequest(`${where}.tool_call_id`, "an id is expected.");
  return {
    role: known,
    parts: partsOf(content, where),
    ...(known === "tool" && typeof callId === "string" && { callId }),
    ...(known === "assistant" && Array.isArray(calls) && { callIds: calls.map(idOf) }),
  };
}

function idOf(call: unknown): string {
  const id = asObject(call)?.["id"];
  return typeof id === "string" ? id : "";
}

function partsOf(content: unknown, where: string): readonly ChatPart[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [{ kind: "text", text: content }];
  if (!Array.isArray(content)) throw invalidRequest(`${where}.content`, "a text or a list of parts is expected.");
  return content.map((part: unknown, index) => chatPart(part, `${where}.content[${index}]`));
}

function chatPart(value: unknown, where: string): ChatPart {
  const { type, text, refusal, image_url: image } = asObject(value) ?? {};
  if (type === "text" && typeof text === "string") return { kind: "text", text };
  if (type === "refusal" && typeof refusal === "string") return { kind: "text", text: refusal };
  const url = asObject(image)?.["url"];
  if (type !== "image_url" || typeof url !== "string") {
    throw invalidRequest(where, "only text and image_url parts can be passed on.");
  }
  return imagePart(url, where);
}

/** The image at an address, or in it. Throws an `OpenAiFailure` for any other kind of address. */
export function imagePart(url: string, where: string): ChatPart {
  if (/^https?:/i.test(url)) return { kind: "link", url };
  const [, mimeType, data] = /^data:(image\/[\w.+-]+);base64,([\w+/=]+)$/.exec(url) ?? [];
  if (mimeType === undefined || data === undefined) {
    throw invalidRequest(where, "an image is a data: URL in base64, or an http address.");
  }
  return { kind: "image", mimeType, data };
}
