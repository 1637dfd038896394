import { asObject, type Json, objectsOf, textOf } from "../../base/rpc/json.js";

/** Our own members in the `_meta` of a request. */
export function symposiumOf(params: Json | undefined): Readonly<Record<string, unknown>> | undefined {
  return asObject(asObject(params?.object?.["_meta"])?.["symposium"]);
}

const maxTitle = 80;

/** The beginning of the first text in the blocks of a prompt. */
export function titleOf(blocks: unknown): string {
  const texts = objectsOf(blocks).map((block) => textOf(block["text"]).trim());
  return (texts.find((one) => one !== "") ?? "").split("\n", 1).join("").slice(0, maxTitle);
}
