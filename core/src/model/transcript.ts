import { textOfResult } from "./tool-outcome.js";
import type { ConversationMessage, MessagePart } from "./conversation-message.js";

/** How much of a conversation a session is told that was not there: characters, counted from its end. */
const mostCharacters = 200_000;

/** A conversation in words: who said what, which tools were called with what, and what they brought. */
export function transcript(messages: readonly ConversationMessage[]): string {
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
    case "image":
      return `${role === "user" ? "User" : "Assistant"}: [an image]`;
    case "call":
      return `Assistant calls the tool ${part.name} with ${JSON.stringify(part.args)}`;
    case "result":
      return `Result of the tool: ${textOfResult(part.result)}`;
  }
}
