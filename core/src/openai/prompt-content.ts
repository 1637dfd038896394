import { type ContentBlock, textBlock } from "../model/content-block.js";
import { type ChatMessage, type ChatPart, textOfMessage } from "./chat-message.js";
import { invalidRequest } from "./openai-failure.js";

/**
 * The prompt for messages that the agent's session has not seen: the client's instructions, what was said before in
 * words, and the user's last words as they are. Throws an `OpenAiFailure` for images that the agent cannot take.
 */
export function promptContent(messages: readonly ChatMessage[], takesImages: boolean): readonly ContentBlock[] {
  const lastAnswer = messages.findLastIndex(({ role }) => role === "assistant" || role === "tool");
  const instructions = messages.filter(({ role }) => role === "system").map(textOfMessage);
  const earlier = messages.slice(0, lastAnswer + 1).filter(({ role }) => role !== "system");
  const words = messages.slice(lastAnswer + 1).filter(({ role }) => role === "user");
  return [
    ...(instructions.length > 0
      ? [textBlock(`Instructions for this conversation:\n\n${instructions.join("\n\n")}`)]
      : []),
    ...(earlier.length > 0 ? [textBlock(`The conversation so far:\n\n${earlier.map(transcribed).join("\n\n")}`)] : []),
    ...words.flatMap(({ parts }) => parts.map((part) => blockOf(part, takesImages))),
  ];
}

const speakers = { user: "User", assistant: "Assistant", tool: "Result of a tool", system: "Instructions" } as const;

function transcribed(message: ChatMessage): string {
  return `${speakers[message.role]}: ${textOfMessage(message)}`;
}

function blockOf(part: ChatPart, takesImages: boolean): ContentBlock {
  switch (part.kind) {
    case "text":
      return textBlock(part.text);
    case "link":
      return { type: "resource_link", uri: part.url, name: part.url };
    case "image":
      if (!takesImages) throw invalidRequest("messages", "this agent takes no images.");
      return { type: "image", mimeType: part.mimeType, data: part.data };
  }
}
