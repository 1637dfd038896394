import { Json } from "../../base/rpc/json.js";
import { Frame } from "../../base/rpc/frame.js";
import type { Notification, Request } from "../../base/rpc/message.js";

export interface ProxyDialect {
  readonly initialize: string;
  readonly successor: string;
}

/** First published version of the proxy-chains RFD; most published proxies still use it. */
export const underscoreDialect: ProxyDialect = { initialize: "_proxy/initialize", successor: "_proxy/successor" };

/** ACP schema v1 (unstable), `PROXY_METHODS`. */
export const currentDialect: ProxyDialect = { initialize: "proxy/initialize", successor: "proxy/successor" };

export function successorDialect(method: string): ProxyDialect | undefined {
  if (method === currentDialect.successor) return currentDialect;
  return method === underscoreDialect.successor ? underscoreDialect : undefined;
}

export function proxyInitializeDialect(method: string): ProxyDialect | undefined {
  if (method === currentDialect.initialize) return currentDialect;
  return method === underscoreDialect.initialize ? underscoreDialect : undefined;
}

/** Wraps a call to or from the successor in an envelope; the inner text stays unmodified. */
export function wrap(call: Request | Notification): Json {
  const method = JSON.stringify(call.method);
  return Json.ofText(call.params ? `{"method":${method},"params":${call.params.text}}` : `{"method":${method}}`);
}

/** Unwraps an envelope; undefined if it has no method. `params: null` means no parameters. */
export function unwrap(envelope: Json | undefined): { method: string; params: Json | undefined } | undefined {
  const frame = envelope && Frame.scan(envelope.text);
  const method = frame?.methodName;
  if (frame === undefined || method === undefined) return undefined;
  const params = frame.params.isPresent ? frame.params.of(frame.text) : "null";
  return { method, params: params === "null" ? undefined : Json.ofText(params) };
}
