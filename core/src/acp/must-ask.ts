import { asObject } from "../rpc/json.js";

/** A member of `_meta` of a permission request that only the user may answer: no rule that was remembered, and no bypass. */
export const mustAskMember = "symposium/mustAsk";

/** Whether a permission request, by its parameters, is for the user alone. */
export function isForUserAlone(params: unknown): boolean {
  return asObject(asObject(params)?.["_meta"])?.[mustAskMember] === true;
}
