import { symposiumIn } from "../../base/acp/symposium-meta.js";
import { type Json, type Members, objectsOf, textOf } from "../../base/rpc/json.js";

/** Returns our own members of a request's `_meta`. */
export function symposiumOf(params: Json | undefined): Members {
  return symposiumIn(params?.object?.["_meta"]);
}

const maxTitle = 80;

/** Returns a title for a prompt: the beginning of the first text in its content blocks. */
export function titleOf(blocks: unknown): string {
  const texts = objectsOf(blocks).map((block) => textOf(block["text"]).trim());
  return (texts.find((one) => one !== "") ?? "").split("\n", 1).join("").slice(0, maxTitle);
}
