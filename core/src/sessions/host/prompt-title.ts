import { objectsOf, textOf } from "../../base/rpc/json.js";

const maxTitle = 80;

/** Returns a title for a prompt: the beginning of the first text in its content blocks. */
export function promptTitle(blocks: unknown): string {
  const texts = objectsOf(blocks).map((block) => textOf(block["text"]).trim());
  return (texts.find((one) => one !== "") ?? "").split("\n", 1).join("").slice(0, maxTitle);
}
