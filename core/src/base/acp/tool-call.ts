import { asObject, type Members } from "../rpc/json.js";

/** Whether a session update reports a tool call: a new one, or news of one. */
export function isToolCallUpdate({ sessionUpdate }: Members): boolean {
  return sessionUpdate === "tool_call" || sessionUpdate === "tool_call_update";
}

/**
 * A tool call's current members after an update. Members that are missing, null, `{}` or `[]` keep their values: some agents
 * announce a call with an empty input. `_meta` is merged member by member.
 */
export function updatedToolCall(call: Members | undefined, update: Members): Members {
  const given = Object.entries(update).filter(([, value]) => !isEmpty(value));
  const meta = { ...asObject(call?.["_meta"]), ...asObject(update["_meta"]) };
  return { ...call, ...Object.fromEntries(given), ...(!isEmpty(meta) && { _meta: meta }) };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);
}
