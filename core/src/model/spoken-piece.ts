import { asObject } from "../rpc/json.js";
import type { Piece } from "./backlog.js";

/** A content block of a session update as a piece of the answer; what has no form there is named in brackets. */
export function pieceOf(content: unknown, kind: "content" | "reasoning"): Piece | undefined {
  const { type, text, uri, name, mimeType, data, resource } = asObject(content) ?? {};
  if (type === "text") return typeof text === "string" ? { kind, text } : undefined;
  if (type === "resource_link" && typeof uri === "string") {
    return { kind, text: `[${typeof name === "string" ? name : uri}](${uri})` };
  }
  if (type === "image" && typeof mimeType === "string" && typeof data === "string") {
    return { kind: "image", mimeType, data };
  }
  const embedded = asObject(resource);
  if (typeof embedded?.["text"] === "string") return { kind, text: embedded["text"] };
  return typeof type === "string" ? { kind, text: `[${type}]` } : undefined;
}
