import { asObject } from "../rpc/json.js";

/**
 * The result of `session/request_permission` that chooses the first option of the first of `kinds` that is offered;
 * that the question was cancelled, where none is.
 */
export function chooseOption(options: unknown, kinds: readonly string[]): { readonly outcome: unknown } {
  const offered = (Array.isArray(options) ? options : []).map((option: unknown) => asObject(option));
  const optionId = kinds
    .map((kind) => offered.find((option) => option?.["kind"] === kind)?.["optionId"])
    .find((id) => typeof id === "string");
  return { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
}
