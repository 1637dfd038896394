import { stringOf } from "../rpc/json.js";
import type { Json } from "../rpc/json.js";
import { memberOf } from "../rpc/json-edit.js";
import type { Notification } from "../rpc/message.js";

const leading = /^\s*\{\s*"sessionId"\s*:\s*"([^"\\]*)"/;

/**
 * Reads `sessionId` from parameters or a result without parsing the rest; usually it is the first member. Undefined if missing or not a
 * string.
 */
export function sessionIdOf(json: Json | undefined): string | undefined {
  if (!json) return undefined;
  const first = leading.exec(json.text)?.[1];
  if (first !== undefined) return first;
  const member = memberOf(json, "sessionId");
  if (member?.text.startsWith('"') !== true) return undefined;
  try {
    const id = member.value;
    return stringOf(id);
  } catch {
    return undefined;
  }
}

const marker = '"sessionUpdate"';

/**
 * Returns the kind of a `session/update` notification: the first `sessionUpdate` value in its text, so that streams aren't parsed.
 * Undefined if the text has none. Returns a wrong kind if an agent nests another `sessionUpdate` before the real one.
 */
export function updateKindOf(notification: Notification): string | undefined {
  const { frame } = notification;
  return updateKindIn(frame?.text ?? notification.params?.text ?? "", frame?.params.start);
}

export function updateKindIn(text: string, start = 0): string | undefined {
  const place = text.indexOf(marker, start);
  if (place === -1) return undefined;
  const first = text.indexOf('"', place + marker.length) + 1;
  return first === 0 ? undefined : text.slice(first, text.indexOf('"', first));
}
