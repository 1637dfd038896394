/**
 * The lines of a trace: one JSON object each, in the shape that the reference conductor writes
 * (agent-client-protocol-conductor 5.0.0), so that its viewers read our traces and ours reads theirs.
 * `header` and `process` lines, and the optional members, are additions that those viewers ignore.
 */
export type TraceEvent = RequestEvent | ResponseEvent | NotificationEvent | ProcessEvent;

/** `mcp` marks messages of MCP servers that travel over ACP. */
export type TraceProtocol = "acp" | "mcp";

/** The first line. It is written again when the chain becomes known or changes: the latest one holds. */
export interface TraceHeader {
  readonly type: "header";
  readonly version: 1;
  /** When the trace began, ISO 8601. */
  readonly started: string;
  /** Components from the client to the agent. */
  readonly components: readonly string[];
}

interface Stamped {
  /** Seconds since the trace began, to the microsecond. */
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
  /** Unique in the trace; not the id on the wire, which differs from hop to hop. */
  readonly id: string | number;
  readonly method: string;
  /** `null` when the request has none. */
  readonly params: unknown;
}

interface ResponseEvent extends Message {
  readonly type: "response";
  /** That of the request. */
  readonly id: string | number;
  /** That of the request. */
  readonly method: string;
  readonly is_error: boolean;
  /** The result or the error object. */
  readonly payload: unknown;
  /** Since the request, in milliseconds. */
  readonly duration_ms: number;
}

export interface NotificationEvent extends Message {
  readonly type: "notification";
  readonly method: string;
  /** `null` when the notification has none. */
  readonly params: unknown;
}

/** Something that happened to the process of a component. */
export interface ProcessEvent extends Stamped {
  readonly type: "process";
  readonly component: string;
  readonly event: "start" | "exit" | "stderr";
  readonly pid?: number;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly code?: number | null;
  readonly signal?: string | null;
  /** What it wrote to stderr, or why it did not start. */
  readonly text?: string;
}
