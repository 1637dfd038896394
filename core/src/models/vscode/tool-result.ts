import { attempt } from "../../base/attempt.js";
import { wellFormed } from "../answer-sink.js";
import type { ToolContent, ToolResult } from "../../base/mcp/tool-server.js";
import { asObject } from "../../base/rpc/json.js";

/**
 * Converts an editor's tool result, a text or parts, for the agent. Texts and images don't change; marshalled values (`$mid`) and
 * prompt-tsx elements are unwrapped; other values become JSON.
 */
export function toolResultOf(result: unknown, isError: boolean): ToolResult {
  const content = contentOf(result);
  return {
    content: content.length > 0 ? content : [{ type: "text", text: "(no output)" }],
    ...(isError && { isError }),
  };
}

function contentOf(value: unknown): readonly ToolContent[] {
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return textContent(unmarshalled(value));
  if (Array.isArray(value)) return merged(value.flatMap(contentOf));
  const part = asObject(value);
  if (!part) return textContent(JSON.stringify(value));
  if (Array.isArray(part["content"])) return contentOf(part["content"]);
  const { type, mimeType, data } = part;
  if (typeof mimeType === "string" && typeof data === "string") return dataContent(mimeType, data);
  if (type === "text" && typeof part["text"] === "string") return textContent(part["text"]);
  if ("value" in part) {
    const inner = part["value"];
    if (typeof inner === "string") return textContent(inner);
    const node = asObject(inner)?.["node"];
    if (node !== undefined) return textContent(textOfNode(node));
    return contentOf(inner);
  }
  if ("node" in part) return textContent(textOfNode(part["node"]));
  return textContent(JSON.stringify(value));
}

/** Parses parts that older editors send as JSON text. */
function unmarshalled(text: string): string {
  if (!text.startsWith('[{"$mid"')) return text;
  const parts = attempt(() => contentOf(JSON.parse(text)));
  return parts?.map((part) => (typeof part["text"] === "string" ? part["text"] : `[${part.type}]`)).join("\n") ?? text;
}

function textContent(text: string): readonly ToolContent[] {
  return text === "" ? [] : [{ type: "text", text: wellFormed(text) }];
}

function dataContent(mimeType: string, data: string): readonly ToolContent[] {
  if (mimeType.startsWith("image/")) return [{ type: "image", mimeType, data }];
  return textContent(textOfData(mimeType, data) ?? "");
}

/** Merges the texts of one result, since some agents show only the first. */
function merged(content: readonly ToolContent[]): readonly ToolContent[] {
  const result: ToolContent[] = [];
  for (const part of content) {
    const last = result.at(-1);
    if (part.type === "text" && last?.type === "text") {
      result[result.length - 1] = { type: "text", text: `${String(last["text"])}\n${String(part["text"])}` };
    } else result.push(part);
  }
  return result;
}

/** Converts prompt-tsx JSON. Node type 1 is a piece with children, 2 a text that may start on a new line. */
function textOfNode(value: unknown): string {
  const node = asObject(value);
  if (!node) return "";
  if (typeof node["text"] === "string") return `${node["lineBreakBefore"] === true ? "\n" : ""}${node["text"]}`;
  const children = Array.isArray(node["children"]) ? node["children"] : [];
  return children.map(textOfNode).join("");
}

/** Matches media types whose data is text. */
const textual = /^text\/|[/+](?:json|xml|yaml|toml|javascript|typescript|sql)\b/i;

/**
 * Returns base64 data as text, or a note about the data if its media type isn't textual. Returns undefined for editors' cache marks and
 * model state, whose types have no slash.
 */
export function textOfData(mimeType: string, data: string): string | undefined {
  if (!mimeType.includes("/")) return undefined;
  const text = textual.test(mimeType) ? decoded(data) : undefined;
  return text ?? `[data of type ${mimeType}, ${data.length} characters in base64]`;
}

/** Decodes base64 as UTF-8; undefined if invalid. */
function decoded(data: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}
