/**
 * Line of a trace: a JSON object in the format of the reference conductor (agent-client-protocol-conductor 5.0.0), so that the trace
 * viewers of both products can read each other's traces. The reference conductor's viewers ignore `header` and `process` lines and the
 * optional members.
 */
export type TraceEvent = RequestEvent | ResponseEvent | NotificationEvent | ProcessEvent;

/** `mcp` marks MCP messages sent over ACP. */
export type TraceProtocol = "acp" | "mcp";

/** First line of a trace. The header is repeated whenever the chain becomes known or changes; the latest header applies. */
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
  /** Id of the request, unique in the trace. The id on the wire can't be used, since it changes from component to component. */
  readonly id: string | number;
  readonly method: string;
  /** Parameters of the request; `null` if it has none. */
  readonly params: unknown;
}

interface ResponseEvent extends Message {
  readonly type: "response";
  readonly id: string | number;
  readonly method: string;
  readonly is_error: boolean;
  readonly payload: unknown;
  /** Milliseconds between the request and this response. */
  readonly duration_ms: number;
}

export interface NotificationEvent extends Message {
  readonly type: "notification";
  readonly method: string;
  /** Parameters of the notification; `null` if it has none. */
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
