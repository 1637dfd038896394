import type { ToolResult } from "../base/mcp/tool-server.js";

export type MessagePart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly mimeType: string; /** In base64. */ readonly data: string }
  | { readonly kind: "link"; readonly url: string }
  | { readonly kind: "call"; readonly id: string; readonly name: string; readonly args: unknown }
  | { readonly kind: "result"; readonly id: string; readonly result: ToolResult };

/** Message of a client's history, except system messages. */
export interface ConversationMessage {
  readonly role: "user" | "assistant";
  readonly parts: readonly MessagePart[];
}

/** Normalizes messages for comparing histories: removes empty texts, joins consecutive texts, and merges split answers. */
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

export function textOf({ parts }: ConversationMessage): string {
  return parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
}

export function callIdsOf({ parts }: ConversationMessage): readonly string[] {
  return parts.flatMap((part) => (part.kind === "call" ? [part.id] : []));
}

/** Returns the index of the first message after the last answer. */
export function trailingStart(messages: readonly ConversationMessage[]): number {
  return messages.findLastIndex(({ role }) => role === "assistant") + 1;
}

/** Returns the texts of a tool's result; other content becomes its type in brackets. */
export function textOfResult({ content }: ToolResult): string {
  return content.map(({ type, text }) => (typeof text === "string" ? text : `[${type}]`)).join("\n");
}
