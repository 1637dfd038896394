import { asObject, type Members } from "../rpc/json.js";

export function isToolCallUpdate({ sessionUpdate }: Members): boolean {
  return sessionUpdate === "tool_call" || sessionUpdate === "tool_call_update";
}

/**
 * Merges an update into a tool call. Missing, null, `{}` and `[]` members preserve the old values, because some agents announce calls with
 * empty input; `_meta` is merged member by member.
 */
export function updatedToolCall(call: Members | undefined, update: Members): Members {
  const given = Object.entries(update).filter(([, value]) => !isEmpty(value));
  const meta = { ...asObject(call?.["_meta"]), ...asObject(update["_meta"]) };
  return { ...call, ...Object.fromEntries(given), ...(!isEmpty(meta) && { _meta: meta }) };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);
}
