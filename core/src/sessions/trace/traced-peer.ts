import { isSessionSetup } from "../../base/acp/methods.js";
import { cancelRequestMethod } from "../../base/rpc/connection.js";
import { asObject, type Json } from "../../base/rpc/json.js";
import type { Peer } from "../../base/rpc/peer.js";
import type { TraceProtocol } from "./trace-event.js";
import type { TraceSink } from "./trace-writer.js";

interface TracedHop {
  readonly from: string;
  readonly to: string;
  readonly sink: TraceSink;
  /** Protocol of the messages; by default, derived from the method. */
  readonly protocol?: TraceProtocol;
}

/** Wraps a peer to record its messages. Forwards the same objects immediately, so text, order and timing don't change. */
export function tracedPeer(peer: Peer, hop: TracedHop): Peer {
  const { from, to, sink } = hop;
  return {
    request(request, reply) {
      const { method } = request;
      const id = sink.nextId();
      const ts = sink.now();
      const protocol = hop.protocol ?? protocolOf(method);
      const params = parsed(request.params);
      const session = sessionIn(params);
      sink.record({ type: "request", ts, protocol, from, to, id, method, ...session, params });
      let canCancel = true;
      const cancel = peer.request(request, (outcome) => {
        canCancel = false;
        const payload = parsed(outcome.json);
        const answered = sink.now();
        sink.record({
          type: "response",
          ts: answered,
          protocol,
          from: to,
          to: from,
          id,
          method,
          ...(isSessionSetup(method) ? { ...session, ...sessionIn(payload) } : session),
          is_error: outcome.isError,
          payload,
          duration_ms: Math.round((answered - ts) * 1_000_000) / 1000,
        });
        reply(outcome);
      });
      return () => {
        if (canCancel) {
          canCancel = false;
          const cancellation = { protocol, from, to, method: cancelRequestMethod, ...session };
          sink.record({ type: "notification", ts: sink.now(), ...cancellation, params: { requestId: id } });
        }
        cancel();
      };
    },
    notify(notification) {
      const { method } = notification;
      const params = parsed(notification.params);
      const protocol = hop.protocol ?? protocolOf(method);
      sink.record({ type: "notification", ts: sink.now(), protocol, from, to, method, ...sessionIn(params), params });
      peer.notify(notification);
    },
  };
}

/** Returns the protocol of a method. Older versions of MCP-over-ACP use the prefix `_mcp/`. */
function protocolOf(method: string): TraceProtocol {
  return method.startsWith("mcp/") || method.startsWith("_mcp/") ? "mcp" : "acp";
}

function sessionIn(value: unknown): { session?: string } {
  const session = asObject(value)?.["sessionId"];
  return typeof session === "string" ? { session } : {};
}

/** Parses JSON. Returns undefined for invalid JSON, which the conductor forwards unread and which must not end the trace. */
function parsed(json: Json | undefined): unknown {
  try {
    return json?.value ?? null;
  } catch {
    return { unreadable: json?.text };
  }
}
