/**
 * Trace lines: one JSON object each, in the format of the reference conductor (agent-client-protocol-conductor 5.0.0), so that each side's
 * viewers read the other's traces. Those viewers ignore `header` and `process` lines and the optional members.
 */
export type TraceEvent = RequestEvent | ResponseEvent | NotificationEvent | ProcessEvent;

/** `mcp` marks MCP messages sent over ACP. */
export type TraceProtocol = "acp" | "mcp";

/** First line, repeated whenever the chain becomes known or changes; the latest one applies. */
export interface TraceHeader {
  readonly type: "header";
  readonly version: 1;
  /** Start of the trace, ISO 8601. */
  readonly started: string;
  /** Components from client to agent. */
  readonly components: readonly string[];
}

interface Stamped {
  /** Seconds since the trace started, with microsecond precision. */
  readonly ts: number;
}

interface Message extends Stamped {
  readonly protocol: TraceProtocol;
  /** `Client`, `Agent`, or a proxy's name. */
  readonly from: string;
  readonly to: string;
  readonly session?: string;
}

interface RequestEvent extends Message {
  readonly type: "request";
  /** Unique in the trace; differs from the wire id, which changes from hop to hop. */
  readonly id: string | number;
  readonly method: string;
  /** `null` if absent. */
  readonly params: unknown;
}

interface ResponseEvent extends Message {
  readonly type: "response";
  readonly id: string | number;
  readonly method: string;
  readonly is_error: boolean;
  readonly payload: unknown;
  /** Milliseconds since the request. */
  readonly duration_ms: number;
}

export interface NotificationEvent extends Message {
  readonly type: "notification";
  readonly method: string;
  /** `null` if absent. */
  readonly params: unknown;
}

export interface ProcessEvent extends Stamped {
  readonly type: "process";
  readonly component: string;
  readonly event: "start" | "exit" | "stderr";
  readonly pid?: number;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly code?: number | null;
  readonly signal?: string | null;
  /** Output on stderr, or the reason for a failed start. */
  readonly text?: string;
}
