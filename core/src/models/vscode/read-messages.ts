import { wellFormed } from "../answer-sink.js";
import { type ConversationMessage, type MessagePart, normalisedMessages } from "../conversation-message.js";
import { asObject } from "../../base/rpc/json.js";
import { textOfData, toolResultOf } from "./tool-result.js";
import type { WireValue } from "./wire-value.js";

export interface ReadMessages {
  readonly systemText: string;
  readonly messages: readonly ConversationMessage[];
}

/**
 * Reads `messages`. Skips thoughts, cache marks, other models' state and unknown parts; reads images and texts in user data and names other
 * types. Throws a `WireFault` that names the member.
 */
export function readMessages(value: WireValue): ReadMessages {
  const system: string[] = [];
  const messages: ConversationMessage[] = [];
  for (const item of value.list) {
    const role = roleOf(item.member("role"));
    const content = item.member("content");
    const parts =
      typeof content.value === "string"
        ? [{ kind: "text", text: wellFormed(content.value) } as const]
        : content.list.map((part) => readPart(part, role)).filter((part) => part !== undefined);
    if (role === "system") system.push(...parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])));
    else messages.push({ role, parts });
  }
  return { systemText: system.join("\n\n").trim(), messages: normalisedMessages(messages) };
}

/** Accepts VS Code's numbers: 1 user, 2 assistant, 3 system. */
function roleOf(value: WireValue): "user" | "assistant" | "system" {
  if (value.value === 1) return "user";
  if (value.value === 2) return "assistant";
  if (value.value === 3) return "system";
  return value.choice(["user", "assistant", "system"]);
}

function readPart(value: WireValue, role: string): MessagePart | undefined {
  switch (value.member("type").value) {
    case "text":
      return { kind: "text", text: wellFormed(value.member("value").text) };
    case "tool_call":
      return {
        kind: "call",
        id: value.member("toolCallId").text,
        name: value.member("toolName").text,
        args: value.object["parameters"],
      };
    case "tool_result": {
      const { result, isError } = value.object;
      return { kind: "result", id: value.member("toolCallId").text, result: toolResultOf(result, isError === true) };
    }
    case "data":
      return dataOf(value, role);
    default:
      return undefined;
  }
}

/** Reads a data part of a message. In the assistant's answers, ignores data other than images. */
function dataOf(value: WireValue, role: string): MessagePart | undefined {
  const { mimeType, data } = asObject(value.value) ?? {};
  if (typeof mimeType !== "string" || typeof data !== "string") return undefined;
  if (mimeType.startsWith("image/")) return { kind: "image", mimeType, data };
  const text = role === "assistant" ? undefined : textOfData(mimeType, data);
  return text === undefined ? undefined : { kind: "text", text: `\n\n${text}\n\n` };
}
