import { isSessionSetup } from "../../base/acp/methods.js";
import { cancelRequestMethod } from "../../base/rpc/connection.js";
import { asObject, type Json } from "../../base/rpc/json.js";
import type { Peer } from "../../base/rpc/peer.js";
import type { TraceProtocol } from "./trace-event.js";
import type { TraceSink } from "./trace-writer.js";

/** One direction of a hop: whose messages go to whom. */
interface TracedHop {
  readonly from: string;
  readonly to: string;
  readonly sink: TraceSink;
  /** Told by the method when absent. */
  readonly protocol?: TraceProtocol;
}

/**
 * A peer that records what passes through it, and hands on the same objects at the same moment: the raw
 * text, the order and the timing of the messages stay as they are.
 */
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

/** `_mcp/` is the spelling of the older dialects. */
function protocolOf(method: string): TraceProtocol {
  return method.startsWith("mcp/") || method.startsWith("_mcp/") ? "mcp" : "acp";
}

function sessionIn(value: unknown): { session?: string } {
  const session = asObject(value)?.["sessionId"];
  return typeof session === "string" ? { session } : {};
}

/** Text that is no JSON after all passes the conductor unread, so it must not break the trace either. */
function parsed(json: Json | undefined): unknown {
  try {
    return json?.value ?? null;
  } catch {
    return { unreadable: json?.text };
  }
}
