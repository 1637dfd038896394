import { acpMethods } from "../../acp/methods.js";
import { asObject, Json } from "../../rpc/json.js";
import { memberOf } from "../../rpc/json-edit.js";
import { Notification } from "../../rpc/message.js";

/** An agent message, as a `session/update`. */
export function textUpdate(sessionId: string, text: string): Notification {
  const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
  return Notification.of(acpMethods.sessionUpdate, { sessionId, update });
}

/** Updates that tell the editor what it would have learnt from the agent's own answer to `session/new`. */
export function sessionStateUpdates(sessionId: string, opened: Json): readonly Notification[] {
  const updates: Notification[] = [];
  const id = JSON.stringify(sessionId);
  const options = memberOf(opened, "configOptions");
  if (options?.text.startsWith("[") === true) {
    const update = `{"sessionUpdate":"config_option_update","configOptions":${options.text}}`;
    updates.push(new Notification(acpMethods.sessionUpdate, Json.ofText(`{"sessionId":${id},"update":${update}}`)));
  }
  const currentModeId = asObject(opened.object?.["modes"])?.["currentModeId"];
  if (typeof currentModeId === "string") {
    const update = { sessionUpdate: "current_mode_update", currentModeId };
    updates.push(Notification.of(acpMethods.sessionUpdate, { sessionId, update }));
  }
  return updates;
}
