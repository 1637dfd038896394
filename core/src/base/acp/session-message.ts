import { stringOf } from "../rpc/json.js";
import type { Json } from "../rpc/json.js";
import { memberOf } from "../rpc/json-edit.js";
import type { Notification } from "../rpc/message.js";

const leading = /^\s*\{\s*"sessionId"\s*:\s*"([^"\\]*)"/;

/**
 * Start of the last text, up to the searched value, and this value. Updates of a stream have the same start, which is faster to compare
 * than to search. `slice` and `===` take half the time of `startsWith`.
 */
interface KnownStart {
  readonly text: string;
  readonly value: string;
}

/** Maximum length of a text whose start is stored, since the stored part may keep the whole text in memory. */
const longestText = 64 * 1024;
let lastId: KnownStart = { text: "", value: "" };
let lastKind: KnownStart = { text: "", value: "" };

function begins(text: string, start: number, { text: known }: KnownStart): boolean {
  return known !== "" && text.slice(start, start + known.length) === known;
}

/**
 * Reads `sessionId` from parameters or a result without parsing the rest; usually it is the first member. Undefined if missing or not a
 * string.
 */
export function sessionIdOf(json: Json | undefined): string | undefined {
  if (!json) return undefined;
  if (begins(json.text, 0, lastId)) return lastId.value;
  const [text, value] = leading.exec(json.text) ?? [];
  if (text !== undefined && value !== undefined) {
    if (json.text.length <= longestText) lastId = { text, value };
    return value;
  }
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
  if (begins(text, start, lastKind)) return lastKind.value;
  const place = text.indexOf(marker, start);
  if (place === -1) return undefined;
  const first = text.indexOf('"', place + marker.length) + 1;
  if (first === 0) return undefined;
  const end = text.indexOf('"', first);
  const value = text.slice(first, end);
  if (end !== -1 && text.length <= longestText) lastKind = { text: text.slice(start, end + 1), value };
  return value;
}
