import { asObject } from "../rpc/json.js";
import { type ChatMessage, type ChatPart, imagePart, roleOf } from "./chat-message.js";
import { invalidRequest } from "./openai-failure.js";

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads `input`: a text, or messages, calls, their results and thoughts, as answers have them, too. What the assistant
 * said and called in one go becomes one message; thoughts are passed over. Throws an `OpenAiFailure` that names the item.
 */
export function inputMessages(value: unknown): readonly ChatMessage[] {
  if (typeof value === "string") return [{ role: "user", parts: [{ kind: "text", text: value }] }];
  if (!Array.isArray(value)) throw invalidRequest("input", "a text or a list of items is expected.");
  const messages: ChatMessage[] = [];
  for (const [index, item] of value.entries()) {
    const message = messageOf(asObject(item) ?? {}, `input[${index}]`);
    if (!message) continue;
    const last = messages.at(-1);
    if (message.role === "assistant" && last?.role === "assistant") messages.splice(-1, 1, joined(last, message));
    else messages.push(message);
  }
  return messages;
}

function messageOf(item: Members, where: string): ChatMessage | undefined {
  const { type = "message", role, content, call_id: callId, output } = item;
  switch (type) {
    case "message": {
      const known = roleOf(role);
      if (!known || known === "tool") {
        throw invalidRequest(`${where}.role`, "system, developer, user or assistant is expected.");
      }
      const parts = partsOf(content, `${where}.content`);
      return known === "assistant" ? { role: known, parts, callIds: [] } : { role: known, parts };
    }
    case "function_call":
      return { role: "assistant", parts: [], callIds: [idOf(callId, where)] };
    case "function_call_output":
      return { role: "tool", callId: idOf(callId, where), parts: partsOf(output, `${where}.output`) };
    case "reasoning":
      return undefined;
    default:
      throw invalidRequest(`${where}.type`, `items of type ${JSON.stringify(type)} cannot be passed on.`);
  }
}

function idOf(callId: unknown, where: string): string {
  if (typeof callId === "string") return callId;
  throw invalidRequest(`${where}.call_id`, "an id is expected.");
}

function joined(first: ChatMessage, second: ChatMessage): ChatMessage {
  return {
    role: "assistant",
    parts: [...first.parts, ...second.parts],
    callIds: [...(first.callIds ?? []), ...(second.callIds ?? [])],
  };
}

function partsOf(content: unknown, where: string): readonly ChatPart[] {
  if (typeof content === "string") return [{ kind: "text", text: content }];
  if (!Array.isArray(content)) throw invalidRequest(where, "a text or a list of parts is expected.");
  return content.map((part: unknown, index) => partOf(asObject(part) ?? {}, `${where}[${index}]`));
}

function partOf({ type, text, refusal, image_url: url }: Members, where: string): ChatPart {
  if ((type === "input_text" || type === "output_text") && typeof text === "string") return { kind: "text", text };
  if (type === "refusal" && typeof refusal === "string") return { kind: "text", text: refusal };
  if (type === "input_image" && typeof url === "string") return imagePart(url, where);
  throw invalidRequest(where, "only input_text, output_text and input_image parts can be passed on.");
}
