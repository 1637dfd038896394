import { asObject, Json } from "../../rpc/json.js";
import { withMember } from "../../rpc/json-edit.js";
import { Notification } from "../../rpc/message.js";
import { contextEnd, contextStart, contextUri } from "./memory-context.js";

/** How OpenCode and Claude tell the address of an embedded resource again, in a chunk of its own. */
const address =
  /^\s*(?:\[sparkle:\/\/memory\]|sparkle:\/\/memory|<context ref="sparkle:\/\/memory">\s*<\/context>)\s*$/;

/**
 * A message of the user that the agent tells again, as when a session is loaded, without the context that
 * stood in it; undefined when there is nothing else in it.
 */
export function withoutContext(notification: Notification): Notification | undefined {
  const { params, method } = notification;
  if (params === undefined || !params.text.includes("sparkle")) return notification;
  const update = asObject(params.object?.["update"]);
  const content = asObject(update?.["content"]);
  if (update?.["sessionUpdate"] !== "user_message_chunk" || content === undefined) return notification;
  if (asObject(content["resource"])?.["uri"] === contextUri) return undefined;
  const { text } = content;
  if (typeof text !== "string") return notification;
  const start = text.indexOf(contextStart);
  const end = text.indexOf(contextEnd, start);
  const hasContext = start !== -1 && end !== -1;
  const rest = hasContext ? text.slice(0, start) + text.slice(end + contextEnd.length).replace(/^\s+/, "") : text;
  if (rest.trim() === "" || address.test(rest)) return undefined;
  if (!hasContext) return notification;
  return new Notification(method, withMember(params, ["update", "content", "text"], Json.of(rest)));
}
