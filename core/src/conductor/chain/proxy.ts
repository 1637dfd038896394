import type { Logger } from "../../base/logger.js";
import type { McpServer, McpToolCall } from "../../base/mcp/mcp-server.js";
import type { Notification, Request } from "../../base/rpc/message.js";
import type { Cancel, Peer, Reply } from "../../base/rpc/peer.js";

/**
 * A proxy that runs in this process: it stands between the editor and the agent, sees every message of both
 * sides, and may change, answer, hold back or add messages and offer MCP servers to sessions. What it does
 * not handle passes it unchanged, without being parsed.
 */
export interface Proxy {
  /** Unique in a chain; shown in traces and errors. */
  readonly name: string;
  /** Client capabilities it relies on, as dotted paths below `clientCapabilities`, such as `_meta.symposium/ideOperations`. */
  readonly needs?: readonly string[];
  /** What can stand in for these where the editor lacks them. */
  readonly adapters?: readonly Adapter[];
  /** Joins a chain; called once for each chain, when the editor has said `initialize`. */
  connect(chain: ProxyChain): ProxyHandlers;
}

/** Provides a capability in place of an editor that lacks it. */
export interface Adapter {
  /** Dotted path below `clientCapabilities`, such as `_meta.symposium/ideOperations`. */
  readonly provides: string;
  /** Makes the proxy that stands in; it announces the capability itself, in the `initialize` it passes on. */
  make(): Proxy;
}

/** What a proxy may use of the chain it stands in. */
export interface ProxyChain {
  /** Toward the editor. */
  readonly client: Peer;
  /** Toward the agent. */
  readonly successor: Peer;
  readonly logger: Logger;
  /** Returns the reason why the editor may not read or write this file (an absolute path) for the agent. Absent if no member judges files. */
  readonly refuseFile?: RefuseFile;
}

/** Says why the editor may not touch a file for the agent. */
export type RefuseFile = (path: string, isWritten: boolean) => string | undefined;

/**
 * Answers or forwards one request: every request ends in exactly one `reply`. Forward synchronously
 * (`return chain.successor.request(request, reply)`) wherever possible, so that order is kept; change
 * an answer by passing a `reply` of your own. The returned function cancels.
 */
export type RequestHandler = (request: Request, reply: Reply) => Cancel | undefined;

/** Returns the notification to pass on, the same or another, or undefined to hold it back. */
export type NotificationHandler = (notification: Notification) => Notification | undefined;

/** Handlers by ACP method. */
export interface ProxyHandlers extends Partial<AsyncDisposable> {
  readonly clientRequests?: Readonly<Record<string, RequestHandler>>;
  readonly clientNotifications?: Readonly<Record<string, NotificationHandler>>;
  readonly agentRequests?: Readonly<Record<string, RequestHandler>>;
  readonly agentNotifications?: Readonly<Record<string, NotificationHandler>>;
  /**
   * The MCP servers a session gets: asked once for every `session/new`, `load`, `resume` and `fork`, also for those
   * that the proxy itself sends to its successor. A session that a proxy opens for a sub-agent carries its name as
   * `_meta.symposium.subagent`, and no other proxy is asked for it.
   */
  mcpServers?(session: ProxySession): readonly McpServer[];
  /**
   * Asked before each call of a tool that an agent makes through an MCP server of the chain: the reason against it, which the
   * agent's model reads in place of a result, or undefined. Never rejects.
   */
  refuseTool?(call: McpToolCall, session: CallingSession, signal: AbortSignal): Promise<string | undefined>;
  /** Judges each file that any proxy of the chain reads or writes through the editor for the agent; see {@link ProxyChain.refuseFile}. */
  readonly refuseFile?: RefuseFile;
}

/** The session in which a tool is called. */
export type CallingSession = Pick<ProxySession, "sessionId" | "cwd">;

/** A session as it is being opened. */
export interface ProxySession {
  /** Known from the start for `load` and `resume`; for `new` and `fork` once the agent has answered. */
  readonly sessionId: string | undefined;
  /** Absolute path of the session's working folder, as the client gave it. */
  readonly cwd: string;
  /** Aborted when the session is closed or the chain ends. */
  readonly signal: AbortSignal;
}
