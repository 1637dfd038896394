import { asObject, Json } from "../rpc/json.js";
import { memberOf, withMember } from "../rpc/json-edit.js";
import { Request } from "../rpc/message.js";

/** `_meta` member of permission requests that only the user may answer. Remembered rules and bypass modes don't apply. */
export const mustAskMember = "symposium/mustAsk";

export function isForUserAlone(params: unknown): boolean {
  return asObject(asObject(params)?.["_meta"])?.[mustAskMember] === true;
}

/** `_meta` member of permission requests that no bypass mode may answer. Remembered rules apply. */
const noBypassMember = "symposium/noBypass";

/** Whether a client's bypass mode may answer the request. */
export function canBypass(params: unknown): boolean {
  return asObject(asObject(params)?.["_meta"])?.[noBypassMember] !== true && !isForUserAlone(params);
}

export function markedNoBypass(request: Request): Request {
  const params = request.params ?? Json.of({});
  const meta = withMember(memberOf(params, "_meta") ?? Json.of({}), [noBypassMember], Json.of(true));
  return new Request(request.method, withMember(params, ["_meta"], meta));
}

/** `_meta` member of permission requests whose options define how long an answer lasts, so that nothing else offers to remember it. */
export const ownAnswersMember = "symposium/ownAnswers";

export function hasOwnAnswers(params: unknown): boolean {
  return asObject(asObject(params)?.["_meta"])?.[ownAnswersMember] === true;
}

/**
 * Removes Symposium's own `_meta` members from an agent's request, since only Symposium may set them. Returns the request itself if it has
 * no such members.
 */
export function withoutOwnMarks(request: Request): Request {
  const { method, params } = request;
  if (params === undefined || (canBypass(params.object) && !hasOwnAnswers(params.object))) return request;
  const {
    [mustAskMember]: _mustAsk,
    [ownAnswersMember]: _ownAnswers,
    [noBypassMember]: _noBypass,
    ...rest
  } = asObject(params.object?.["_meta"]) ?? {};
  // Replaces the last `_meta` as a whole, because the last of duplicate members counts.
  return new Request(method, withMember(params, ["_meta"], Json.of(rest)));
}
