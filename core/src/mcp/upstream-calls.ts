import { Json } from "../rpc/json.js";
import { memberOf } from "../rpc/json-edit.js";
import type { Notification } from "../rpc/message.js";

type NotificationListener = (method: string, params: Json | undefined) => void;

/**
 * Brings the notifications that servers over ACP send back to the calls they belong to: by `requestId`
 * (stateless) or by `connectionId` (connections).
 */
export class UpstreamCalls {
  readonly #listeners = new Map<string, NotificationListener>();

  /** Routes notifications that carry `key` to `listener` until the returned handle is disposed. */
  listen(key: string, listener: NotificationListener): Disposable {
    this.#listeners.set(key, listener);
    return {
      [Symbol.dispose]: () => {
        if (this.#listeners.get(key) === listener) this.#listeners.delete(key);
      },
    };
  }

  /** Delivers an `mcp/message` notification. Returns false when nobody here waits for it. */
  deliver(notification: Notification): boolean {
    const envelope = notification.params;
    const { requestId, connectionId, method } = envelope?.object ?? {};
    const key = typeof requestId === "string" ? requestId : connectionId;
    const listener = typeof key === "string" ? this.#listeners.get(key) : undefined;
    if (!listener || !envelope || typeof method !== "string") return false;
    listener(method, memberOf(envelope, "params"));
    return true;
  }
}

/** Joins raw members to an object, in order; undefined values are left out. */
export function rawObject(members: Readonly<Record<string, Json | undefined>>): Json {
  const parts: string[] = [];
  for (const [key, value] of Object.entries(members)) {
    if (value) parts.push(`${JSON.stringify(key)}:${value.text}`);
  }
  return Json.ofText(`{${parts.join(",")}}`);
}
