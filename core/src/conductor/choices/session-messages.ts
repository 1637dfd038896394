import { acpMethods } from "../../base/acp/methods.js";
import { asObject, type Json } from "../../base/rpc/json.js";
import { Notification, type Outcome } from "../../base/rpc/message.js";
import { rpcErrorCodes } from "../../base/rpc/rpc-error.js";

export function textUpdate(sessionId: string, text: string): Notification {
  const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
  return Notification.of(acpMethods.sessionUpdate, { sessionId, update });
}

export function promptText(params: Json | undefined): string {
  const blocks = params?.object?.["prompt"];
  if (!Array.isArray(blocks)) return "";
  const texts = blocks.map((value: unknown) => {
    const block = asObject(value);
    return block?.["type"] === "text" && typeof block["text"] === "string" ? block["text"] : "";
  });
  return texts.join("\n").trim();
}

export function errorText(outcome: Outcome): string {
  const message = outcome.json.object?.["message"];
  return typeof message === "string" && message !== "" ? message : outcome.json.text;
}

export function needsSignIn(outcome: Outcome): boolean {
  return outcome.isError && outcome.json.object?.["code"] === rpcErrorCodes.authRequired;
}
