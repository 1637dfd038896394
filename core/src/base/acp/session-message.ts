import { stringOf } from "../rpc/json.js";
import type { Json } from "../rpc/json.js";
import { memberOf } from "../rpc/json-edit.js";
import type { Notification } from "../rpc/message.js";

const leading = /^\s*\{\s*"sessionId"\s*:\s*"([^"\\]*)"/;

/**
 * The member `sessionId` of parameters or a result: read off their beginning, where nearly everybody writes it, else
 * looked for without parsing the rest; undefined when it is missing or no string.
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
 * Which kind of `session/update` a notification is, by its text alone, so that streams are not parsed: the value of the first
 * member `sessionUpdate` in it; undefined where there is none. An agent that puts another one before it is not understood.
 */
export function updateKindOf(notification: Notification): string | undefined {
  const { frame } = notification;
  return updateKindIn(frame?.text ?? notification.params?.text ?? "", frame?.params.start);
}

/** The same of the text of the parameters, or of a message whose parameters begin at `start`. */
export function updateKindIn(text: string, start = 0): string | undefined {
  const place = text.indexOf(marker, start);
  if (place === -1) return undefined;
  const first = text.indexOf('"', place + marker.length) + 1;
  return first === 0 ? undefined : text.slice(first, text.indexOf('"', first));
}
