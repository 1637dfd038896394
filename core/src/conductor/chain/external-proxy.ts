import { acpMethods, isSessionEnd, isSessionSetup } from "../../base/acp/methods.js";
import type { Logger } from "../../base/logger.js";
import { messageOf } from "../../base/symposium-error.js";
import { cancelRequestMethod, Connection } from "../../base/rpc/connection.js";
import { withMember, withoutMember } from "../../base/rpc/json-edit.js";
import { Json } from "../../base/rpc/json.js";
import { Notification, Outcome, Request } from "../../base/rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../../base/rpc/peer.js";
import { RpcError, rpcErrorCodes } from "../../base/rpc/rpc-error.js";
import { type ChainFailure, mistakenFailure, type PlaceNames } from "./failure.js";
import type { Link, Neighbours } from "./link.js";
import { agentHint, askWhetherMcpServer, mayBeOfMcpServer, mcpServerHint } from "./mistaken-component.js";
import {
  currentDialect,
  type ProxyDialect,
  proxyInitializeDialect,
  successorDialect,
  underscoreDialect,
  unwrap,
  wrap,
} from "./proxy-dialect.js";
import { openedSessionId, SessionResources } from "./session-resources.js";

/**
 * Called when a proxy opens a session, to record the session's MCP servers with the proxy's dialect. `before` are the setup requests that
 * the proxy received and hasn't answered. The result is disposed with the session.
 */
type SetupObserver = (before: Iterable<Request>, after: Request, dialect: ProxyDialect) => Disposable;

interface ExternalProxyOptions {
  readonly name: string;
  readonly neighbours: Neighbours;
  readonly logger: Logger;
  /** Options sent to the proxy in `initialize`, but not to its successors. */
  readonly options?: Readonly<Record<string, unknown>>;
  send(line: string): void;
  readonly onSessionSetup: SetupObserver;
  /** Called once, before `initialize` is answered, if the process isn't a proxy. */
  onMistaken(failure: ChainFailure): void;
  /**
   * Called if the process is an MCP server; afterwards messages bypass the process. If this callback is absent, an MCP server is a failure.
   */
  readonly onMcpServer?: () => void;
  readonly places?: PlaceNames;
}

/**
 * Proxy in another process. Plain messages belong to its neighbor toward the editor, messages in a successor envelope to its neighbor
 * toward the agent. Tries the older dialect first at `initialize`, because newer proxies reject it with an error, while older proxies exit
 * or hang if initialized in the newer one.
 */
export class ExternalProxy implements Link {
  readonly name: string;
  readonly connection: Connection;
  readonly fromClient: Peer;
  readonly fromSuccessor: Peer;
  readonly #options: ExternalProxyOptions;
  readonly #neighbours: Neighbours;
  #dialect: ProxyDialect | undefined;
  #hasUsedSuccessor = false;
  readonly #openSetups = new Set<Request>();
  readonly #sessions: SessionResources;
  #isInitializing = false;
  readonly #held: (() => void)[] = [];
  /** Whether messages bypass the proxy, because its process is an MCP server. */
  #isAside = false;

  constructor(options: ExternalProxyOptions) {
    this.name = options.name;
    this.#options = options;
    this.#neighbours = options.neighbours;
    this.#sessions = new SessionResources((fault) =>
      options.logger.warn("couldn't record the end of a session", { message: messageOf(fault) }),
    );
    this.connection = new Connection({
      send: (line) => options.send(line),
      answersGarbage: false,
      onSkipped: (reason) => options.logger.warn("skipped a line", { reason }),
      inbound: {
        request: (request, reply) => this.#requestFromProxy(request, reply),
        notify: (notification) => this.#notificationFromProxy(notification),
      },
    });
    this.fromClient = {
      request: (request, reply) => this.#requestFromClient(request, reply),
      notify: (notification) =>
        this.#whenGreeted(() => (this.#isAside ? this.#neighbours.successor : this.connection).notify(notification)),
    };
    this.fromSuccessor = {
      request: (request, reply) =>
        this.#isAside
          ? this.#neighbours.client.request(request, reply)
          : this.connection.request(new Request(this.#successorMethod, wrap(request)), reply),
      notify: (notification) => {
        if (this.#isAside) this.#neighbours.client.notify(notification);
        else this.connection.notify(new Notification(this.#successorMethod, wrap(notification)));
      },
    };
  }

  get isInitializing(): boolean {
    return this.#isInitializing;
  }

  get #successorMethod(): string {
    return (this.#dialect ?? currentDialect).successor;
  }

  #requestFromClient(request: Request, reply: Reply): Cancel {
    if (this.#isAside) return this.#neighbours.successor.request(request, reply);
    if (request.method === acpMethods.initialize) {
      this.#isInitializing = true;
      return this.#initialize(request, (outcome) => {
        this.#isInitializing = false;
        reply(outcome);
        this.#sendHeld();
      });
    }
    if (!isSessionSetup(request.method)) return this.#requestWhenGreeted(request, reply);
    this.#openSetups.add(request);
    return this.#requestWhenGreeted(request, (outcome) => {
      this.#openSetups.delete(request);
      reply(outcome);
    });
  }

  #requestWhenGreeted(request: Request, reply: Reply): Cancel {
    if (!this.#isHolding) return this.#send(request, reply);
    let cancel: Cancel = () => {
      cancel = nothingToCancel;
      reply(Outcome.error(RpcError.cancelled()));
    };
    this.#whenGreeted(() => {
      if (cancel !== nothingToCancel) cancel = this.#send(request, reply);
    });
    return () => cancel();
  }

  #send(request: Request, reply: Reply): Cancel {
    return (this.#isAside ? this.#neighbours.successor : this.connection).request(request, reply);
  }

  /** Delays messages that follow `initialize`, since a proxy that rejected the first `initialize` must get the second one next. */
  #whenGreeted(send: () => void): void {
    if (this.#isHolding) this.#held.push(send);
    else send();
  }

  get #isHolding(): boolean {
    return this.#isInitializing && !this.#dialect;
  }

  #sendHeld(): void {
    for (const send of this.#held.splice(0)) send();
  }

  #initialize(request: Request, reply: Reply): Cancel {
    const { options } = this.#options;
    const params = options ? withOptions(request.params, options) : request.params;
    const initialize = (dialect: ProxyDialect, onRefused: ((refusal: Outcome) => void) | undefined): Cancel =>
      this.connection.request(new Request(dialect.initialize, params), (outcome) => {
        if (onRefused && !this.#hasUsedSuccessor && isRefusal(outcome)) onRefused(outcome);
        else {
          if (!outcome.isError) this.#settleDialect(dialect);
          if (!this.#hasUsedSuccessor && mayBeOfMcpServer(outcome)) this.#explainError(request, outcome, reply);
          else reply(outcome);
        }
      });
    if (this.#dialect) return initialize(this.#dialect, undefined);
    let cancel = initialize(underscoreDialect, () => {
      cancel = initialize(currentDialect, (refusal) => this.#notAProxy(request, refusal, reply));
    });
    return () => cancel();
  }

  #settleDialect(dialect: ProxyDialect): void {
    if (this.#dialect) return;
    this.#dialect = dialect;
    this.#sendHeld();
  }

  #notAProxy(request: Request, refusal: Outcome, reply: Reply): void {
    askWhetherMcpServer(this.connection, (isMcpServer) => {
      if (isMcpServer) this.#isMcpServer(request, refusal, reply);
      else {
        const refused = `refused ${underscoreDialect.initialize} and ${currentDialect.initialize}`;
        this.#fail(`is not an ACP proxy: it ${refused}.`, agentHint(this.#options.places ?? {}), refusal, reply);
      }
    });
  }

  /** An error other than an unknown method comes from a proxy, or from an MCP server that validates the parameters first. */
  #explainError(request: Request, error: Outcome, reply: Reply): void {
    askWhetherMcpServer(this.connection, (isMcpServer) => {
      if (isMcpServer) this.#isMcpServer(request, error, reply);
      else reply(error);
    });
  }

  /** Takes an MCP server out of the chain; it belongs in the agent's sessions. */
  #isMcpServer(request: Request, refusal: Outcome, reply: Reply): void {
    const { onMcpServer } = this.#options;
    if (onMcpServer) {
      this.#isAside = true;
      onMcpServer();
      this.#neighbours.successor.request(request, reply);
      return;
    }
    this.#fail("is an MCP server, not an ACP proxy.", mcpServerHint, refusal, reply);
  }

  #fail(what: string, hint: string, refusal: Outcome, reply: Reply): void {
    const failure = mistakenFailure(this.name, what, hint, refusal.json.object);
    this.#options.onMistaken(failure);
    reply(Outcome.error(failure.error));
  }

  #requestFromProxy(request: Request, reply: Reply): Cancel {
    const dialect = successorDialect(request.method);
    if (dialect === undefined) {
      if (proxyInitializeDialect(request.method)) return refuse(reply, RpcError.methodNotFound(request.method));
      return this.#neighbours.client.request(request, reply);
    }
    const inner = unwrap(request.params);
    if (inner === undefined) return refuse(reply, RpcError.invalidParams(`${request.method} needs a method`));
    // A proxy that forwards unknown methods forwards this `initialize` to its successor, and gets this refusal as the answer.
    if (proxyInitializeDialect(inner.method)) return refuse(reply, RpcError.methodNotFound(inner.method));
    if (successorDialect(inner.method))
      return refuse(reply, RpcError.invalidRequest(`${inner.method} inside ${request.method}`));
    this.#hasUsedSuccessor = true;
    this.#settleDialect(dialect);
    const isOurs = this.#options.options !== undefined && inner.method === acpMethods.initialize;
    const forwarded = new Request(inner.method, isOurs ? withoutOptions(inner.params) : inner.params);
    if (isSessionSetup(inner.method)) return this.#setUp(forwarded, reply, dialect);
    if (!isSessionEnd(inner.method)) return this.#neighbours.successor.request(forwarded, reply);
    return this.#neighbours.successor.request(forwarded, (outcome) => {
      this.#sessions.observe(forwarded, outcome);
      reply(outcome);
    });
  }

  #setUp(request: Request, reply: Reply, dialect: ProxyDialect): Cancel {
    const declared = this.#options.onSessionSetup(this.#openSetups, request, dialect);
    return this.#neighbours.successor.request(request, (outcome) => {
      const sessionId = openedSessionId(request, outcome);
      if (sessionId === undefined) declared[Symbol.dispose]();
      else this.#sessions.open(sessionId, [declared]);
      reply(outcome);
    });
  }

  #notificationFromProxy(notification: Notification): void {
    if (successorDialect(notification.method) === undefined) {
      this.#neighbours.client.notify(notification);
      return;
    }
    const inner = unwrap(notification.params);
    if (inner === undefined || successorDialect(inner.method)) {
      this.#options.logger.warn("dropped a malformed successor envelope");
    } else if (inner.method === cancelRequestMethod) {
      // SDKs up to 3.x wrap cancellations, although these belong to this hop.
      this.connection.cancelIncoming(inner.params);
    } else {
      this.#neighbours.successor.notify(new Notification(inner.method, inner.params));
    }
  }
}

function refuse(reply: Reply, error: RpcError): Cancel {
  reply(Outcome.error(error));
  return nothingToCancel;
}

function isRefusal(outcome: Outcome): boolean {
  const code = outcome.isError ? outcome.json.object?.["code"] : undefined;
  return code === rpcErrorCodes.methodNotFound || code === rpcErrorCodes.invalidRequest;
}

/** Path of a proxy's configured options in its `initialize` parameters. */
const optionsPlace = ["_meta", "symposium", "options"] as const;

function withOptions(params: Json | undefined, options: Readonly<Record<string, unknown>>): Json {
  return withMember(params ?? Json.ofText("{}"), optionsPlace, Json.of(options));
}

/** Removes the proxy's options before its `initialize` continues to the successor, because proxies forward what they received. */
function withoutOptions(params: Json | undefined): Json | undefined {
  return params && withoutMember(params, optionsPlace);
}
