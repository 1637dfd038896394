import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import type { ToolContent } from "../base/mcp/tool-server.js";
import { type ConversationMessage, type MessagePart, textOfResult, trailingStart } from "./conversation-message.js";

export function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}

/** Formats the system text for the start of a prompt. */
export function instructionBlock(text: string): ContentBlock {
  return textBlock(`Instructions for this conversation:\n\n${text}`);
}

/**
 * Builds the prompt for a new session: a transcript of the history, then the last messages unmodified. The first `failed` of the last
 * messages belong to a prompt that failed, so only the transcript includes them.
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
  // Results of calls that another session made belong in the transcript.
  const earlier = isWords ? withResults(messages, start) : messages;
  const blocks = wordBlocks(
    last.filter(({ kind }) => kind !== "result"),
    takesImages,
  );
  const history = earlier.length > 0 ? [textBlock(`The conversation so far:\n\n${transcript(earlier)}`)] : [];
  return isWords ? [...history, ...blocks] : [...history, textBlock("Go on from there.")];
}

/**
 * Builds the prompt for a session that knows all earlier messages. Adds a transcript of answers that the session didn't give, for example
 * after the user chose another model for a while.
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

export function wordBlocks(parts: readonly MessagePart[], takesImages: boolean): readonly ContentBlock[] {
  return parts.flatMap((part): readonly ContentBlock[] => {
    switch (part.kind) {
      case "text":
        return part.text.trim() === "" ? [] : [textBlock(part.text)];
      case "image":
        if (!takesImages) return [textBlock("[Image omitted: this agent doesn't accept images.]")];
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

/** Maximum characters of a transcript; the end of the conversation takes precedence. */
const mostCharacters = 200_000;

/** Formats a conversation as text: speakers, tool calls and results. */
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
