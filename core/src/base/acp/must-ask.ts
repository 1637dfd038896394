import { asObject, Json } from "../rpc/json.js";
import { withMember } from "../rpc/json-edit.js";
import { Request } from "../rpc/message.js";

/** A member of `_meta` of a permission request that only the user may answer: no rule that was remembered, and no bypass. */
export const mustAskMember = "symposium/mustAsk";

/** Whether a permission request, by its parameters, is for the user alone. */
export function isForUserAlone(params: unknown): boolean {
  return asObject(asObject(params)?.["_meta"])?.[mustAskMember] === true;
}

/** A member of `_meta` of a permission request whose answers say themselves what lasts of them: nobody offers to remember one besides. */
export const ownAnswersMember = "symposium/ownAnswers";

/** Whether the answers of a permission request, by its parameters, say themselves what lasts. */
export function hasOwnAnswers(params: unknown): boolean {
  return asObject(asObject(params)?.["_meta"])?.[ownAnswersMember] === true;
}

/** A permission request of an agent without these members: they are ours to say. The request itself where it has none. */
export function withoutOwnMarks(request: Request): Request {
  const { method, params } = request;
  if (params === undefined || !(isForUserAlone(params.object) || hasOwnAnswers(params.object))) return request;
  const {
    [mustAskMember]: _mustAsk,
    [ownAnswersMember]: _ownAnswers,
    ...rest
  } = asObject(params.object?.["_meta"]) ?? {};
  // As a whole: of several members of that name the last one counts, which is the one that is replaced.
  return new Request(method, withMember(params, ["_meta"], Json.of(rest)));
}
