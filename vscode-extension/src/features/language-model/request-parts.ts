import { type Members, stringOf, textOf } from "@symposium-dev/core";
import type { LmMessage, LmPart, LmTool } from "@symposium-dev/core";
import { wellFormed, wellFormedText } from "./well-formed.js";

/** A constructor whose instances are recognised, and which makes them of these arguments. */
type PartClass<Args extends unknown[]> = new (...args: Args) => object;

/**
 * The classes of the editor's message parts. Some are not in every version of the editor: those of them that we have
 * are used.
 */
export interface PartClasses {
  readonly text: PartClass<[value: string]>;
  readonly toolCall: PartClass<[callId: string, name: string, input: object]>;
  readonly data?: PartClass<[data: Uint8Array, mimeType: string]>;
  readonly thinking?: PartClass<[value: string, id?: string, metadata?: Readonly<Record<string, unknown>>]>;
}

/** A message of the editor, as far as we look at it. */
export interface EditorMessage {
  /** 1 is the user, 2 the assistant, 3 the system; others may come. */
  readonly role: number;
  readonly content: readonly unknown[];
  readonly name?: string | undefined;
}

/** A tool of the editor. Consumers leave the description or the schema out, or send `null`. */
interface EditorTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
}

/** The editor's messages on the wire. A part that nobody knows is told to `skipped` by its shape and left out. */
export function toMessages(
  messages: readonly EditorMessage[],
  classes: PartClasses,
  skipped: (shape: string) => void,
): LmMessage[] {
  return messages.map(({ role, content, name }) => ({
    role: role === 2 ? "assistant" : role === 3 ? "system" : "user",
    ...(name === undefined ? {} : { name: wellFormedText(name) }),
    content: content.flatMap((part) => {
      const known = toPart(part, classes, skipped);
      if (known === undefined) skipped(shapeOf(part));
      return known ?? [];
    }),
  }));
}

export function toTools(tools: readonly EditorTool[]): LmTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    name: wellFormedText(name),
    ...(typeof description === "string" ? { description: wellFormedText(description) } : {}),
    ...(inputSchema === undefined ? {} : { inputSchema: wellFormed(inputSchema) }),
  }));
}

function toPart(part: unknown, classes: PartClasses, skipped: (shape: string) => void): LmPart | undefined {
  if (typeof part === "string") return { type: "text", value: wellFormedText(part) };
  const members = membersOf(part);
  if (!members) return undefined;
  const { value, callId, name, input, content, isError } = members;
  // A part's own class tells what it is; those that came as plain objects, their members.
  if (classes.thinking && part instanceof classes.thinking) {
    return { type: "thinking", value: wellFormedText(Array.isArray(value) ? value.join("") : textOf(value)) };
  }
  if (typeof callId === "string" && Array.isArray(content)) {
    const result = toResult(content, skipped);
    return { type: "tool_result", toolCallId: callId, result, ...(isError === true ? { isError } : {}) };
  }
  if (typeof callId === "string" && typeof name === "string") {
    return { type: "tool_call", toolCallId: callId, toolName: name, parameters: wellFormed(input ?? {}) };
  }
  return toContent(members);
}

/** What both messages and tool results have: texts, as they are or as prompt-tsx trees, and data. */
function toContent({ value, mimeType, data }: Members): LmPart | undefined {
  if (typeof mimeType === "string") {
    const base64 = toBase64(data);
    return base64 === undefined ? undefined : { type: "data", mimeType, data: base64 };
  }
  const text = promptTsxText(value);
  return text === undefined ? undefined : { type: "text", value: wellFormedText(text) };
}

/** The result of a tool: its text, or its parts where it is more than that. */
function toResult(content: readonly unknown[], skipped: (shape: string) => void): unknown {
  const parts = content.flatMap((piece) => {
    if (typeof piece === "string") return [{ type: "text" as const, value: wellFormedText(piece) }];
    const members = membersOf(piece);
    const known = members && toContent(members);
    if (known) return [known];
    // What a tool says in a form of its own is still its answer.
    if (members) return [{ type: "text" as const, value: JSON.stringify(wellFormed(piece)) }];
    skipped(shapeOf(piece));
    return [];
  });
  const [only] = parts;
  return parts.length === 1 && only?.type === "text" ? only.value : parts;
}

function toBase64(data: unknown): string | undefined {
  if (data instanceof Uint8Array) return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
  // A buffer that went through JSON.
  const bytes = membersOf(data)?.["data"];
  if (Array.isArray(bytes) && bytes.every((byte) => typeof byte === "number")) {
    return Buffer.from(bytes).toString("base64");
  }
  return stringOf(data);
}

function membersOf(value: unknown): Members | undefined {
  return typeof value === "object" && value !== null ? (value as Members) : undefined;
}

/** What a part looks like, without anything of its contents. */
function shapeOf(part: unknown): string {
  const members = membersOf(part);
  return members ? `{${Object.keys(members).sort().slice(0, 8).join(", ")}}` : typeof part;
}

/** The text of a prompt-tsx tree as JSON: `{node: {type: 1, children: […]}}`, where nodes of type 2 are texts. */
function promptTsxText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  const root = memberOf(value, "node");
  if (root === undefined) return undefined;
  const pieces: string[] = [];
  collect(root, pieces);
  return pieces.join("");
}

const textNode = 2;

function collect(node: unknown, pieces: string[]): void {
  if (memberOf(node, "lineBreakBefore") === true && pieces.length > 0) pieces.push("\n");
  const text = memberOf(node, "text");
  if (memberOf(node, "type") === textNode && typeof text === "string") pieces.push(text);
  const children = memberOf(node, "children");
  if (Array.isArray(children)) for (const child of children) collect(child, pieces);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}
