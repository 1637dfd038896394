import type { ToolResult } from "../base/mcp/tool-server.js";

/** A piece of a message in a client's history. */
export type MessagePart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly mimeType: string; /** In base64. */ readonly data: string }
  /** Something at an address. */
  | { readonly kind: "link"; readonly url: string }
  | { readonly kind: "call"; readonly id: string; readonly name: string; readonly args: unknown }
  | { readonly kind: "result"; readonly id: string; readonly result: ToolResult };

/** A message of a client's history; what the system says is kept apart. */
export interface ConversationMessage {
  readonly role: "user" | "assistant";
  readonly parts: readonly MessagePart[];
}

/**
 * The messages in the one form that histories are compared in: without empty texts, texts that follow each other in one,
 * and answers in one message, however the client cuts them.
 */
export function normalisedMessages(messages: readonly ConversationMessage[]): readonly ConversationMessage[] {
  const normalised: { role: "user" | "assistant"; parts: MessagePart[] }[] = [];
  for (const { role, parts } of messages) {
    const last = normalised.at(-1);
    if (role === "assistant" && last?.role === "assistant") appendParts(last.parts, parts);
    else {
      const kept = appendParts([], parts);
      if (kept.length > 0) normalised.push({ role, parts: kept });
    }
  }
  return normalised;
}

function appendParts(merged: MessagePart[], parts: readonly MessagePart[]): MessagePart[] {
  for (const part of parts) {
    const last = merged.at(-1);
    if (part.kind !== "text") merged.push(part);
    else if (part.text === "") continue;
    else if (last?.kind === "text") merged[merged.length - 1] = { kind: "text", text: last.text + part.text };
    else merged.push(part);
  }
  return merged;
}

/** The texts of a message, joined. */
export function textOf({ parts }: ConversationMessage): string {
  return parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
}

/** The ids of the calls that a message makes. */
export function callIdsOf({ parts }: ConversationMessage): readonly string[] {
  return parts.flatMap((part) => (part.kind === "call" ? [part.id] : []));
}

/** Where the messages after the last answer begin. */
export function trailingStart(messages: readonly ConversationMessage[]): number {
  return messages.findLastIndex(({ role }) => role === "assistant") + 1;
}

/** The texts of a tool's result; what is none is named in brackets. */
export function textOfResult({ content }: ToolResult): string {
  return content.map(({ type, text }) => (typeof text === "string" ? text : `[${type}]`)).join("\n");
}
