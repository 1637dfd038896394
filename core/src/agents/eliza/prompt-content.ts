import { asObject } from "../../base/rpc/json.js";

export interface PromptContent {
  readonly blocks: readonly Readonly<Record<string, unknown>>[];
  readonly texts: readonly string[];
  /** Labels for content other than text, such as `notes.md` or `an image`. */
  readonly attachments: readonly string[];
}

export function parsePromptContent(value: unknown): PromptContent | undefined {
  if (!Array.isArray(value)) return undefined;
  const blocks: Readonly<Record<string, unknown>>[] = [];
  const texts: string[] = [];
  const attachments: string[] = [];
  for (const item of value as readonly unknown[]) {
    const block = asObject(item);
    const type = block?.["type"];
    if (block === undefined || typeof type !== "string") return undefined;
    blocks.push(block);
    const text = block["text"];
    if (type === "text" && typeof text === "string") texts.push(text);
    else if (!isForAgentOnly(block)) attachments.push(attachmentName(type, block));
  }
  return { blocks, texts, attachments };
}

/** Whether the content block isn't meant for the user. Proxies add such blocks, and Eliza doesn't mention them. */
function isForAgentOnly(block: Readonly<Record<string, unknown>>): boolean {
  const audience = asObject(block["annotations"])?.["audience"];
  return Array.isArray(audience) && !audience.includes("user");
}

function attachmentName(type: string, block: Readonly<Record<string, unknown>>): string {
  switch (type) {
    case "image":
      return "an image";
    case "audio":
      return "a recording";
    case "resource_link":
      return typeof block["name"] === "string" ? block["name"] : lastSegment(block["uri"]);
    case "resource":
      return lastSegment(asObject(block["resource"])?.["uri"]);
    default:
      return `content of type "${type}"`;
  }
}

function lastSegment(uri: unknown): string {
  if (typeof uri !== "string") return "a resource";
  const segment = (uri.split(/[?#]/, 1)[0] ?? "").split("/").findLast((one) => one !== "");
  return segment ?? uri;
}

/** Joins names into a phrase: `a`, `a and b`, `a, b and c`. */
export function joinNames(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
}
