import { type Members, stringOf, textOf } from "@symposium-dev/core";
import type { LmMessage, LmPart, LmTool } from "@symposium-dev/core";
import { wellFormed, wellFormedText } from "./well-formed.js";

type PartClass<Args extends unknown[]> = new (...args: Args) => object;

/** Classes of the editor's message parts. Some editor versions lack the optional ones. */
export interface PartClasses {
  readonly text: PartClass<[value: string]>;
  readonly toolCall: PartClass<[callId: string, name: string, input: object]>;
  readonly data?: PartClass<[data: Uint8Array, mimeType: string]>;
  readonly thinking?: PartClass<[value: string, id?: string, metadata?: Readonly<Record<string, unknown>>]>;
}

export interface EditorMessage {
  /** Role of the message: 1 is user, 2 assistant, 3 system; other values are possible. */
  readonly role: number;
  readonly content: readonly unknown[];
  readonly name?: string | undefined;
}

/** Editor tool. Callers may omit the description or the schema, or pass `null`. */
interface EditorTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
}

/** Converts the editor's messages to wire format. Skips unknown parts and reports their shape to `skipped`. */
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
  // The part's class determines its kind; for a plain object, its members do.
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

function toContent({ value, mimeType, data }: Members): LmPart | undefined {
  if (typeof mimeType === "string") {
    const base64 = toBase64(data);
    return base64 === undefined ? undefined : { type: "data", mimeType, data: base64 };
  }
  const text = promptTsxText(value);
  return text === undefined ? undefined : { type: "text", value: wellFormedText(text) };
}

function toResult(content: readonly unknown[], skipped: (shape: string) => void): unknown {
  const parts = content.flatMap((piece) => {
    if (typeof piece === "string") return [{ type: "text" as const, value: wellFormedText(piece) }];
    const members = membersOf(piece);
    const known = members && toContent(members);
    if (known) return [known];
    // Unknown objects in a tool result are still content, so send them as JSON.
    if (members) return [{ type: "text" as const, value: JSON.stringify(wellFormed(piece)) }];
    skipped(shapeOf(piece));
    return [];
  });
  const [only] = parts;
  return parts.length === 1 && only?.type === "text" ? only.value : parts;
}

function toBase64(data: unknown): string | undefined {
  if (data instanceof Uint8Array) return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
  // A buffer serialized as JSON has its bytes in `data`.
  const bytes = membersOf(data)?.["data"];
  if (Array.isArray(bytes) && bytes.every((byte) => typeof byte === "number")) {
    return Buffer.from(bytes).toString("base64");
  }
  return stringOf(data);
}

function membersOf(value: unknown): Members | undefined {
  return typeof value === "object" && value !== null ? (value as Members) : undefined;
}

function shapeOf(part: unknown): string {
  const members = membersOf(part);
  return members ? `{${Object.keys(members).sort().slice(0, 8).join(", ")}}` : typeof part;
}

/** Returns the text of a prompt-tsx tree in JSON form: `{node: {type: 1, children: […]}}`, with texts in nodes of type 2. */
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
