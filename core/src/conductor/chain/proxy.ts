import type { Logger } from "../../base/logger.js";
import type { McpServer, McpToolCall } from "../../base/mcp/mcp-server.js";
import type { Notification, Request } from "../../base/rpc/message.js";
import type { Cancel, Peer, Reply } from "../../base/rpc/peer.js";

/**
 * Proxy in this process, between editor and agent. A proxy sees every message in both directions, can change, answer, delay or add
 * messages, and can offer MCP servers to sessions. Unhandled messages pass through unparsed.
 */
export interface Proxy {
  /** The proxy's name, unique in a chain. Appears in traces and errors. */
  readonly name: string;
  /** Required client capabilities, as dotted paths in `clientCapabilities` such as `_meta.symposium/ideOperations`. */
  readonly needs?: readonly string[];
  readonly adapters?: readonly Adapter[];
  /** Joins a chain; called once for each chain, after the editor has sent `initialize`. */
  connect(chain: ProxyChain): ProxyHandlers;
}

export interface Adapter {
  /** Client capability that the adapter provides, as a dotted path in `clientCapabilities` such as `_meta.symposium/ideOperations`. */
  readonly provides: string;
  /** Creates the replacement proxy, which must announce the capability in the `initialize` that it forwards. */
  make(): Proxy;
}

export interface ProxyChain {
  /** Peer toward the editor. */
  readonly client: Peer;
  /** Peer toward the agent. */
  readonly successor: Peer;
  readonly logger: Logger;
  /** Returns the reason why the editor may not read or write this file (an absolute path) for the agent. Absent if no member judges files. */
  readonly refuseFile?: RefuseFile;
}

/** Returns the reason why the editor must not access a file for the agent; undefined if access is allowed. */
export type RefuseFile = (path: string, isWritten: boolean) => string | undefined;

/**
 * Answers or forwards one request; must call `reply` exactly once. To preserve the order, forward synchronously if possible (`return
 * chain.successor.request(request, reply)`); to change the answer, pass a different `reply`. The returned function cancels the request.
 */
export type RequestHandler = (request: Request, reply: Reply) => Cancel | undefined;

/** Returns the notification to forward, or undefined to drop it. */
export type NotificationHandler = (notification: Notification) => Notification | undefined;

export interface ProxyHandlers extends Partial<AsyncDisposable> {
  readonly clientRequests?: Readonly<Record<string, RequestHandler>>;
  readonly clientNotifications?: Readonly<Record<string, NotificationHandler>>;
  readonly agentRequests?: Readonly<Record<string, RequestHandler>>;
  readonly agentNotifications?: Readonly<Record<string, NotificationHandler>>;
  /**
   * Returns the MCP servers for a session. Called for every `session/new`, `load`, `resume` and `fork`, including the proxy's own requests.
   * For a sub-agent's session, only the proxy named in `_meta.symposium.subagent` is asked.
   */
  mcpServers?(session: ProxySession): readonly McpServer[];
  /**
   * Called before an agent calls a tool of the chain's MCP servers. Returns undefined to allow the call, or the reason for the denial,
   * which the model gets instead of a result. Never rejects.
   */
  refuseTool?(call: McpToolCall, session: CallingSession, signal: AbortSignal): Promise<string | undefined>;
  /** Checks each file that any proxy of the chain reads or writes through the editor for the agent; see {@link ProxyChain.refuseFile}. */
  readonly refuseFile?: RefuseFile;
}

export type CallingSession = Pick<ProxySession, "sessionId" | "cwd">;

export interface ProxySession {
  /** The session's id. Known from the start for `load` and `resume`; undefined for `new` and `fork` until the agent has answered. */
  readonly sessionId: string | undefined;
  /** Absolute path of the session's working folder, as sent by the client. */
  readonly cwd: string;
  /** Aborted when the session is closed or the chain ends. */
  readonly signal: AbortSignal;
}
