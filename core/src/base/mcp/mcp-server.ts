import { Json } from "../rpc/json.js";

/** What a server says of itself: `initialize` in the eras up to 2025-11-25, `server/discover` since 2026-07-28. */
export interface McpServerDescription {
  readonly serverInfo: Readonly<Record<string, unknown>>;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly instructions?: string;
}

/** The answer to one MCP request, as raw JSON: a result, or an error object `{code, message, data?}`. */
export interface McpOutcome {
  readonly isError: boolean;
  readonly json: Json;
}

export interface McpCallContext {
  /** Aborted when the caller gave the request up. */
  readonly signal: AbortSignal;
  /** The name that the client gives itself, where it has said one. */
  readonly clientName?: string | undefined;
  /** For servers that call tools of others: to be asked before each of these calls. */
  readonly refuse?: RefuseTool;
  /** Sends a notification that belongs to this request, such as `notifications/progress`. */
  notify(method: string, params: Json | undefined): void;
}

/** A tool that an agent is about to call. */
export interface McpToolCall {
  /** The name under which the session has it. */
  readonly server: string;
  /** As its user calls it. */
  readonly originalServer: string;
  readonly tool: string;
  readonly arguments: unknown;
}

/** Why a tool is not called, for the model; undefined where it is. */
export type RefuseTool = (call: McpToolCall, signal: AbortSignal) => Promise<string | undefined>;

/**
 * An MCP server as the bridge sees it: stateless requests, whatever era and transport it has. Eras and
 * transports of the clients are the bridge's business, those of remote servers the implementations'.
 */
export interface McpServer {
  /** The name under which sessions get it; agents make it part of tool names. */
  readonly name: string;
  /** As its user calls it, where that may differ. */
  readonly originalName?: string;
  /** Its tools call those of other servers, for which it asks {@link McpCallContext.refuse} itself. */
  readonly callsOthers?: boolean;
  describe(signal: AbortSignal): Promise<McpServerDescription>;
  /** Any request but the handshakes and `ping`. Resolves also for failures; rejects only for defects. */
  call(method: string, params: Json | undefined, context: McpCallContext): Promise<McpOutcome>;
  /**
   * Calls `listener` with the notification's method when one of the server's lists has changed, such as
   * `notifications/tools/list_changed`. Absent where lists never change.
   */
  subscribe?(listener: (method: string) => void): Disposable;
  /** Whether {@link call} takes `logging/setLevel`, which is answered for all others. */
  readonly takesLogLevel?: boolean;
  /** Whether sessions that get this very object get it under one address, for agents that do not keep sessions apart. */
  readonly isShared?: boolean;
}

/** A result, of a value that `JSON.stringify` can write. */
export function mcpResult(value: unknown): McpOutcome {
  return { isError: false, json: Json.of(value) };
}

/** An error object. */
export function mcpError(code: number, message: string, data?: unknown): McpOutcome {
  return { isError: true, json: Json.of(data === undefined ? { code, message } : { code, message, data }) };
}

/** A server made reachable for an agent that does not speak MCP over ACP. Disposing withdraws it. */
export interface McpExposure extends AsyncDisposable {
  /** The entry for the session's `mcpServers`. */
  readonly declaration: Json;
}

/** Makes servers of the chain reachable on this machine for one session each. */
export interface McpBridge extends AsyncDisposable {
  /** `http`: loopback, with a bearer token of its own. `stdio`: a program that joins the agent's pipe to us. */
  expose(server: McpServer, transport: "http" | "stdio"): Promise<McpExposure>;
}
