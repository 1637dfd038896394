import { isToolCallUpdate } from "../base/acp/tool-call.js";
import { memberOf, withMember } from "../base/rpc/json-edit.js";
import { Json } from "../base/rpc/json.js";
import { Notification, Outcome, Request } from "../base/rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../base/rpc/peer.js";
import type { ToolCallView } from "./contribution.js";

/** Shows a tool call update as the first view that changes it. Doesn't parse other updates. */
export function shownUpdate(notification: Notification, views: readonly ToolCallView[]): Notification {
  const { params, method } = notification;
  if (views.length === 0 || !params?.text.includes('"tool_call')) return notification;
  const update = memberOf(params, "update")?.object;
  if (!update || !isToolCallUpdate(update)) return notification;
  for (const view of views) {
    const shown = view.shown(update);
    if (shown) return new Notification(method, withMember(params, ["update"], Json.of(shown)));
  }
  return notification;
}

interface Asking {
  readonly client: Peer;
  readonly calls: readonly ToolCallView[];
}

/** Requests a permission in the form of the first view that changes it, else unmodified. */
export function askedPermission(request: Request, reply: Reply, { client, calls }: Asking): Cancel {
  const params = calls.length === 0 ? undefined : request.params?.object;
  for (const view of params ? calls : []) {
    const asked = params && view.asked(params);
    if (asked?.kind === "answered") {
      reply(Outcome.of(asked.result));
      return nothingToCancel;
    }
    if (!asked) continue;
    return client.request(Request.of(request.method, asked.params), (outcome) => {
      const result = outcome.isError ? undefined : outcome.json.object;
      reply(result ? Outcome.of(asked.answer(result)) : outcome);
    });
  }
  return client.request(request, reply);
}
