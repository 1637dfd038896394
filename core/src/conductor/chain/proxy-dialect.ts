import { Json } from "../../base/rpc/json.js";
import { Frame } from "../../base/rpc/frame.js";
import type { Notification, Request } from "../../base/rpc/message.js";

/** The wire names of one generation of proxies. */
export interface ProxyDialect {
  readonly initialize: string;
  readonly successor: string;
}

/** The proxy-chains RFD as first shipped; still what most published proxies speak. */
export const underscoreDialect: ProxyDialect = { initialize: "_proxy/initialize", successor: "_proxy/successor" };

/** ACP schema v1 (unstable), `PROXY_METHODS`. */
export const currentDialect: ProxyDialect = { initialize: "proxy/initialize", successor: "proxy/successor" };

/** The dialect whose envelope `method` is, or undefined. */
export function successorDialect(method: string): ProxyDialect | undefined {
  if (method === currentDialect.successor) return currentDialect;
  return method === underscoreDialect.successor ? underscoreDialect : undefined;
}

/** The dialect in which `method` initialises a proxy, or undefined. */
export function proxyInitializeDialect(method: string): ProxyDialect | undefined {
  if (method === currentDialect.initialize) return currentDialect;
  return method === underscoreDialect.initialize ? underscoreDialect : undefined;
}

/** Parameters of the envelope that carries a call to or from the successor; the inner text is untouched. */
export function wrap(call: Request | Notification): Json {
  const method = JSON.stringify(call.method);
  return Json.ofText(call.params ? `{"method":${method},"params":${call.params.text}}` : `{"method":${method}}`);
}

/** What an envelope carries, or undefined when it has no method. `params: null` means no parameters. */
export function unwrap(envelope: Json | undefined): { method: string; params: Json | undefined } | undefined {
  const frame = envelope && Frame.scan(envelope.text);
  const method = frame?.methodName;
  if (frame === undefined || method === undefined) return undefined;
  const params = frame.params.isPresent ? frame.params.of(frame.text) : "null";
  return { method, params: params === "null" ? undefined : Json.ofText(params) };
}
