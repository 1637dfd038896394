import { isSessionEnd, isSessionSetup } from "../../base/acp/methods.js";
import type { Logger } from "../../base/logger.js";
import { messageOf } from "../../base/symposium-error.js";
import type { RegisteredServer, McpServerTable } from "../../base/mcp/server-table.js";
import { asObject, Json, stringOf, textOf } from "../../base/rpc/json.js";
import { arrayOf, elementsOf, memberOf, withMember } from "../../base/rpc/json-edit.js";
import { type Notification, Outcome, Request } from "../../base/rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../../base/rpc/peer.js";
import { RpcError } from "../../base/rpc/rpc-error.js";
import type { Link, Neighbours } from "./link.js";
import type { Proxy, ProxyHandlers, ProxySession, RefuseFile, NotificationHandler, RequestHandler } from "./proxy.js";
import { openedSessionId, SessionResources } from "./session-resources.js";

/** Runs a {@link Proxy} in the chain without serialization or copies; unhandled messages pass through. */
export class InProcessProxy implements Link, AsyncDisposable {
  readonly name: string;
  readonly fromClient: Peer;
  readonly fromSuccessor: Peer;
  readonly #handlers: ProxyHandlers;
  readonly #sessions: SessionResources;
  readonly #logger: Logger;

  constructor(
    proxy: Proxy,
    neighbours: Neighbours,
    logger: Logger,
    private readonly servers: McpServerTable,
    refuseFile?: RefuseFile,
  ) {
    this.name = proxy.name;
    this.#logger = logger;
    const onFault = (fault: unknown): RpcError => this.#fault(fault);
    const guard = new HandlerGuard(onFault);
    this.#sessions = new SessionResources(onFault);
    const { client } = neighbours;
    const successor: Peer = {
      request: (request, reply) => this.#requestToSuccessor(request, reply, neighbours.successor),
      notify: (notification) => neighbours.successor.notify(notification),
    };
    const chain = {
      client: guard.guarded(client),
      successor: guard.guarded(successor),
      logger,
      ...(refuseFile && { refuseFile }),
    };
    try {
      this.#handlers = proxy.connect(chain);
    } catch (fault) {
      this.#handlers = {};
      const error = Outcome.error(this.#fault(fault));
      successor.request = (_request, reply) => {
        reply(error);
        return nothingToCancel;
      };
    }
    const { clientRequests, clientNotifications, agentRequests, agentNotifications } = this.#handlers;
    this.fromClient = guard.before(successor, clientRequests, clientNotifications);
    this.fromSuccessor = guard.before(client, agentRequests, agentNotifications);
  }

  get refuseTool(): ProxyHandlers["refuseTool"] {
    return this.#handlers.refuseTool?.bind(this.#handlers);
  }

  get refuseFile(): RefuseFile | undefined {
    return this.#handlers.refuseFile;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sessions[Symbol.asyncDispose]();
    await this.#handlers[Symbol.asyncDispose]?.();
  }

  /** Logs a bug in the proxy and returns the error for the affected request. */
  #fault(fault: unknown): RpcError {
    this.#logger.error("a handler failed", { proxy: this.name, message: messageOf(fault) });
    return RpcError.internal(`The extension "${this.name}" failed: ${messageOf(fault)}`, { component: this.name });
  }

  #requestToSuccessor(request: Request, reply: Reply, successor: Peer): Cancel {
    if (isSessionSetup(request.method) && this.#handlers.mcpServers && !this.#isForeign(request)) {
      return this.#setUp(request, reply, successor);
    }
    if (!isSessionEnd(request.method)) return successor.request(request, reply);
    return successor.request(request, (outcome) => {
      this.#sessions.observe(request, outcome);
      reply(outcome);
    });
  }

  /** Whether another proxy opens this session for its sub-agent. Such a session gets only that proxy's servers. */
  #isForeign(request: Request): boolean {
    const owner = subagentOwner(request);
    return owner !== undefined && owner !== this.name;
  }

  #setUp(request: Request, reply: Reply, successor: Peer): Cancel {
    const params = request.params?.object;
    const controller = new AbortController();
    const session = new OpeningSession(params, controller.signal);
    let registrations: readonly RegisteredServer[];
    try {
      const own = this.#handlers.mcpServers?.(session) ?? [];
      registrations = own.map((server) => this.servers.register(server, this.name));
    } catch (fault) {
      reply(Outcome.error(this.#fault(fault)));
      return nothingToCancel;
    }
    const release = (): void => {
      controller.abort();
      for (const registration of registrations) registration[Symbol.dispose]();
    };
    return successor.request(
      withServers(
        request,
        registrations.map((one) => one.declaration),
      ),
      (outcome) => {
        const sessionId = openedSessionId(request, outcome);
        if (sessionId === undefined) release();
        else {
          session.sessionId = sessionId;
          this.#sessions.open(sessionId, [release]);
        }
        reply(outcome);
      },
    );
  }
}

/** Returns the proxy that marked a session as its sub-agent's with `_meta.symposium.subagent`. */
export function subagentOwner(request: Request): string | undefined {
  const owner = asObject(asObject(request.params?.object?.["_meta"])?.["symposium"])?.["subagent"];
  return stringOf(owner);
}

class OpeningSession implements ProxySession {
  sessionId: string | undefined;
  readonly cwd: string;

  constructor(
    params: Readonly<Record<string, unknown>> | undefined,
    readonly signal: AbortSignal,
  ) {
    const { sessionId, cwd } = params ?? {};
    this.sessionId = stringOf(sessionId);
    this.cwd = textOf(cwd);
  }
}

function withServers(request: Request, declarations: readonly Json[]): Request {
  if (declarations.length === 0) return request;
  const params = request.params ?? Json.ofText("{}");
  const present = memberOf(params, "mcpServers");
  const servers = [...((present && elementsOf(present)) ?? []), ...declarations];
  return new Request(request.method, withMember(params, ["mcpServers"], arrayOf(servers)));
}

/** Runs a proxy's handlers. An exception fails only the request being handled. */
class HandlerGuard {
  #handled: Reply | undefined;

  /** `onFault` receives the exception and returns the error for the failed request. */
  constructor(private readonly onFault: (fault: unknown) => RpcError) {}

  /** Wraps a neighbor so that handlers get its messages first; unhandled messages pass through. */
  before(
    next: Peer,
    requests: Readonly<Record<string, RequestHandler>> = {},
    notifications: Readonly<Record<string, NotificationHandler>> = {},
  ): Peer {
    const onRequest = new Map(Object.entries(requests));
    const onNotification = new Map(Object.entries(notifications));
    return {
      request: (request, reply) => {
        const handler = onRequest.get(request.method);
        return handler ? this.#handle(handler, request, reply) : next.request(request, reply);
      },
      notify: (notification) => {
        const handler = onNotification.get(notification.method);
        const passed = handler ? this.#pass(handler, notification) : notification;
        if (passed) next.notify(passed);
      },
    };
  }

  /** Wraps `peer` for handlers: if a handler's `reply` throws, the request being handled fails. */
  guarded(peer: Peer): Peer {
    return {
      request: (request, reply) => {
        const handled = this.#handled;
        return peer.request(request, (outcome) => {
          try {
            reply(outcome);
          } catch (fault) {
            const error = this.onFault(fault);
            handled?.(Outcome.error(error));
          }
        });
      },
      notify: (notification) => peer.notify(notification),
    };
  }

  #handle(handler: RequestHandler, request: Request, reply: Reply): Cancel {
    const outer = this.#handled;
    this.#handled = reply;
    try {
      return handler(request, reply) ?? nothingToCancel;
    } catch (fault) {
      reply(Outcome.error(this.onFault(fault)));
      return nothingToCancel;
    } finally {
      this.#handled = outer;
    }
  }

  /** A notification whose handler throws is forwarded unmodified. */
  #pass(handler: NotificationHandler, notification: Notification): Notification | undefined {
    try {
      return handler(notification);
    } catch (fault) {
      this.onFault(fault);
      return notification;
    }
  }
}
