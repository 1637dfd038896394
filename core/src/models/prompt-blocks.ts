import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import type { ToolContent } from "../base/mcp/tool-server.js";
import { type ConversationMessage, type MessagePart, textOfResult, trailingStart } from "./conversation-message.js";

export function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}

/** The system's words as the beginning of a prompt. */
export function instructionBlock(text: string): ContentBlock {
  return textBlock(`Instructions for this conversation:\n\n${text}`);
}

/**
 * The prompt for a session that was not there: what was said before in words, and the last words as they are. The first
 * `failed` messages were a prompt already, which failed: they are not asked again.
 */
export function openingBlocks(
  messages: readonly ConversationMessage[],
  takesImages: boolean,
  failed = 0,
): readonly ContentBlock[] {
  if (messages.length === 0) return [];
  const start = Math.max(trailingStart(messages), failed);
  const last = messages.slice(start).flatMap(({ parts }) => parts);
  const isWords = last.some(({ kind }) => kind !== "result");
  // Results of calls that another session made belong to what was before.
  const earlier = isWords ? withResults(messages, start) : messages;
  const blocks = wordBlocks(
    last.filter(({ kind }) => kind !== "result"),
    takesImages,
  );
  const history = earlier.length > 0 ? [textBlock(`The conversation so far:\n\n${transcript(earlier)}`)] : [];
  return isWords ? [...history, ...blocks] : [...history, textBlock("Go on from there.")];
}

/**
 * The prompt for a session that knows all before these messages. What others answered meanwhile, such as another model
 * that the user had chosen, is repeated in words.
 */
export function furtherBlocks(messages: readonly ConversationMessage[], takesImages: boolean): readonly ContentBlock[] {
  const start = trailingStart(messages);
  const blocks = wordBlocks(
    messages.slice(start).flatMap(({ parts }) => parts),
    takesImages,
  );
  const words = blocks.length > 0 ? blocks : [textBlock("Go on.")];
  if (start === 0) return words;
  return [textBlock(`Meanwhile, without you:\n\n${transcript(messages.slice(0, start))}`), ...words];
}

/** Words of the user as a prompt. */
export function wordBlocks(parts: readonly MessagePart[], takesImages: boolean): readonly ContentBlock[] {
  return parts.flatMap((part): readonly ContentBlock[] => {
    switch (part.kind) {
      case "text":
        return part.text.trim() === "" ? [] : [textBlock(part.text)];
      case "image":
        if (!takesImages) return [textBlock("[An image is left out here: this agent takes no images.]")];
        return [{ type: "image", mimeType: part.mimeType, data: part.data }];
      case "link":
        return [{ type: "resource_link", uri: part.url, name: part.url }];
      case "result":
        return [textBlock(lateResult(part))];
      case "call":
        return [];
    }
  });
}

/** Words of the user, and results of earlier calls, as content of a tool's result. */
export function addedContent(parts: readonly MessagePart[]): readonly ToolContent[] {
  return parts.flatMap((part): readonly ToolContent[] => {
    switch (part.kind) {
      case "image":
        return [{ type: "image", mimeType: part.mimeType, data: part.data }];
      case "link":
        return [{ type: "text", text: `The user adds: ${part.url}` }];
      case "text":
        return [{ type: "text", text: `The user adds: ${part.text}` }];
      case "result":
        return [{ type: "text", text: lateResult(part) }];
      case "call":
        return [];
    }
  });
}

function lateResult({ id, result }: Extract<MessagePart, { kind: "result" }>): string {
  return `Result of the tool call ${id}: ${textOfResult(result)}`;
}

function withResults(messages: readonly ConversationMessage[], start: number): readonly ConversationMessage[] {
  const results = messages.slice(start).map(({ role, parts }) => ({
    role,
    parts: parts.filter(({ kind }) => kind === "result"),
  }));
  return [...messages.slice(0, start), ...results.filter(({ parts }) => parts.length > 0)];
}

/** How many characters of a conversation go into the prompt of a session that was not there, counted from its end. */
const mostCharacters = 200_000;

/** A conversation in words: who said what, which tools were called with what, and what they brought. */
function transcript(messages: readonly ConversationMessage[]): string {
  const entries: string[] = [];
  let length = 0;
  for (const [index, message] of [...messages.entries()].reverse()) {
    const entry = message.parts.map((part) => entryOf(part, message.role)).join("\n\n");
    length += entry.length;
    if (length > mostCharacters && entries.length > 0) {
      entries.unshift(`[${index + 1} earlier messages are left out.]`);
      break;
    }
    entries.unshift(entry);
  }
  return entries.join("\n\n");
}

function entryOf(part: MessagePart, role: ConversationMessage["role"]): string {
  switch (part.kind) {
    case "text":
      return `${role === "user" ? "User" : "Assistant"}: ${part.text}`;
    case "link":
      return `${role === "user" ? "User" : "Assistant"}: ${part.url}`;
    case "image":
      return `${role === "user" ? "User" : "Assistant"}: [an image]`;
    case "call":
      return `Assistant calls the tool ${part.name} with ${JSON.stringify(part.args)}`;
    case "result":
      return `Result of the tool: ${textOfResult(part.result)}`;
  }
}
