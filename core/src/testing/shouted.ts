import { Json } from "../rpc/json.js";
import { Notification } from "../rpc/message.js";
import { objectMember } from "./members.js";

/** A `session/update` with the text of its content in capitals; any other notification as it is. */
export function shouted(notification: Notification): Notification {
  if (notification.method !== "session/update") return notification;
  const update = objectMember(notification.params, "update");
  const content = Json.of(update?.["content"]).object;
  const text = content?.["text"];
  if (typeof text !== "string") return notification;
  return Notification.of(notification.method, {
    ...notification.params?.object,
    update: { ...update, content: { ...content, text: text.toUpperCase() } },
  });
}
