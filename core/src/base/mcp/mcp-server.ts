import { Json } from "../rpc/json.js";

/** Server description: `initialize` result up to 2025-11-25, `server/discover` result since 2026-07-28. */
export interface McpServerDescription {
  readonly serverInfo: Readonly<Record<string, unknown>>;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly instructions?: string;
}

export interface McpOutcome {
  readonly isError: boolean;
  readonly json: Json;
}

export interface McpCallContext {
  readonly signal: AbortSignal;
  readonly clientName?: string | undefined;
  /** Check that a server must run before each call to another server's tool. */
  readonly refuse?: RefuseTool;
  /** Sends a notification for this request, such as `notifications/progress`. */
  notify(method: string, params: Json | undefined): void;
}

export interface McpToolCall {
  readonly server: string;
  readonly originalServer: string;
  readonly tool: string;
  readonly arguments: unknown;
}

/** Returns the reason, for the model, why a tool must not be called. Undefined if the call is allowed. */
export type RefuseTool = (call: McpToolCall, signal: AbortSignal) => Promise<string | undefined>;

/**
 * MCP server as used by the bridge, with stateless requests for every revision and transport. The bridge handles clients' revisions and
 * transports; implementations handle those of remote servers.
 */
export interface McpServer {
  /** Name of the server in sessions. Agents include it in tool names. */
  readonly name: string;
  /** Name of the server in the user's configuration, if it differs from {@link name}. */
  readonly originalName?: string;
  /** Set if the server's tools call other servers' tools; the server then calls {@link McpCallContext.refuse} itself. */
  readonly callsOthers?: boolean;
  describe(signal: AbortSignal): Promise<McpServerDescription>;
  /** Handles any request except handshakes and `ping`. Failures resolve with an error; rejects only for bugs. */
  call(method: string, params: Json | undefined, context: McpCallContext): Promise<McpOutcome>;
  /**
   * Calls `listener` with the notification's method, such as `notifications/tools/list_changed`, when a list changes. Absent if the lists
   * never change.
   */
  subscribe?(listener: (method: string) => void): Disposable;
  /** Whether {@link call} supports `logging/setLevel`. If not, the bridge answers that request. */
  readonly takesLogLevel?: boolean;
  /** Whether all sessions that use this server object share one address, for agents that don't separate sessions. */
  readonly isShared?: boolean;
}

export function mcpResult(value: unknown): McpOutcome {
  return { isError: false, json: Json.of(value) };
}

export function mcpError(code: number, message: string, data?: unknown): McpOutcome {
  return { isError: true, json: Json.of(data === undefined ? { code, message } : { code, message, data }) };
}

/** Exception for an error that a server answered. */
export class McpError extends Error {
  override readonly name = "McpError";

  /** `code`, `message` and `data` come unmodified from the server. */
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

/** Exposure of a server to an agent without MCP over ACP. Disposing ends the exposure. */
export interface McpExposure extends AsyncDisposable {
  readonly declaration: Json;
}

export interface McpBridge extends AsyncDisposable {
  /**
   * Exposes a server to an agent. `http`: on loopback, with a separate bearer token; `stdio`: through a program that connects the agent's
   * pipe to this process.
   */
  expose(server: McpServer, transport: "http" | "stdio"): Promise<McpExposure>;
}
