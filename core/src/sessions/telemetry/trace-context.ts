import { isSpanContextValid, ROOT_CONTEXT, type Context, type Span, type SpanContext, trace } from "@opentelemetry/api";
import { acpMethods, isSessionSetup } from "../../base/acp/methods.js";
import { sessionIdOf } from "../../base/acp/session-message.js";
import { asObject, Json } from "../../base/rpc/json.js";
import { withMember } from "../../base/rpc/json-edit.js";
import { Request } from "../../base/rpc/message.js";
import type { Peer } from "../../base/rpc/peer.js";

/** Member of `_meta` in ACP and MCP, in the format of W3C Trace Context. */
const key = "traceparent";
const form = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

/** Formats a span as `traceparent`. */
export function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

/** Returns the context in which `traceparent` is the parent; undefined if it is missing or invalid. */
export function contextOf(traceparent: unknown): Context | undefined {
  const [, traceId = "", spanId = "", flags = "0"] = (typeof traceparent === "string" && form.exec(traceparent)) || [];
  const parent: SpanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : undefined;
}

/** Returns the context of the sender in a message's `_meta`; undefined if there is none. */
export function contextIn(params: Readonly<Record<string, unknown>> | undefined): Context | undefined {
  return contextOf(asObject(params?.["_meta"])?.[key]);
}

/** Adds `traceparent` to an MCP request's parameters. */
export function withTraceparent(params: Readonly<Record<string, unknown>>, span: Span): typeof params {
  return { ...params, _meta: { ...asObject(params["_meta"]), [key]: traceparentOf(span) } };
}

/** Adds a span to the requests that start a session or a turn. `spanOf` returns a session's running turn, or else an outer span. */
export function passingContext(agent: Peer, spanOf: (session: string | undefined) => Span): Peer {
  return {
    notify: (notification) => agent.notify(notification),
    request: (request, reply) => {
      const { method, params } = request;
      const isPassed = method === acpMethods.sessionPrompt || isSessionSetup(method);
      if (!isPassed || params?.text.trimStart().startsWith("{") !== true) return agent.request(request, reply);
      const span = spanOf(method === acpMethods.sessionPrompt ? sessionIdOf(params) : undefined);
      const edited = withMember(params, ["_meta", key], Json.of(traceparentOf(span)));
      return agent.request(new Request(method, edited), reply);
    },
  };
}
