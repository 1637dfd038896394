import { asObject } from "../../base/rpc/json.js";

/** What a prompt says, and what came along with it. */
export interface PromptContent {
  /** The content blocks as they came. */
  readonly blocks: readonly Readonly<Record<string, unknown>>[];
  /** Each text block, in order. */
  readonly texts: readonly string[];
  /** Names for everything that is not text, such as `notes.md` or `an image`. */
  readonly attachments: readonly string[];
}

/** Reads a prompt's content blocks. Returns undefined when it is not a list of them. */
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

/** What somebody other than the user put there, for the agent alone: not worth a remark. */
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
      return `something of the type "${type}"`;
  }
}

function lastSegment(uri: unknown): string {
  if (typeof uri !== "string") return "a resource";
  const segment = (uri.split(/[?#]/, 1)[0] ?? "").split("/").findLast((one) => one !== "");
  return segment ?? uri;
}

/** The names as one phrase: `a`, `a and b`, `a, b and c`. */
export function joinNames(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
}
