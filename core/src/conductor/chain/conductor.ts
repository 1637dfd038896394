import { acpMethods, isSessionSetup } from "../../base/acp/methods.js";
import type { LineChannel } from "../../base/line-channel-contract.js";
import { cancelRequestMethod } from "../../base/rpc/connection.js";
import { withMember } from "../../base/rpc/json-edit.js";
import { asObject, Json, stringOf } from "../../base/rpc/json.js";
import { Notification, Outcome, Request } from "../../base/rpc/message.js";
import { type Cancel, nothingToCancel, type Peer, type Reply } from "../../base/rpc/peer.js";
import { RpcError } from "../../base/rpc/rpc-error.js";
import { Chain, type ChainOptions } from "./chain.js";
import type { AgentComponent, ProxyComponent } from "./component.js";
import { type ChainFailure, type PlaceNames, startupTimeoutFailure } from "./failure.js";
import {
  currentDialect,
  type ProxyDialect,
  proxyInitializeDialect,
  successorDialect,
  unwrap,
  wrap,
} from "./proxy-dialect.js";
import type { Adapter } from "./proxy.js";
import { hasCapability } from "../../base/acp/capabilities.js";

type SharedOptions = Pick<ChainOptions, "proxies" | "lastProxies" | "client" | "environment" | "onMcpServer">;

/** Options of a conductor. In proxy mode, `client` is the other conductor, and `lastProxies` must be absent. */
export interface ConductorOptions extends SharedOptions {
  /** Agent at the end of the chain. Absent in proxy mode, in which the conductor is a component of another conductor's chain. */
  readonly agent?: AgentComponent;
  readonly adapters?: readonly Adapter[];
  readonly clientChannel?: LineChannel;
  /** Maximum time from `initialize` to its answer. */
  readonly startupTimeoutMs: number;
  places?(clientName: string | undefined): PlaceNames;
  /** Called once if the chain fails, after every pending request has been answered. */
  onFailure?(failure: ChainFailure): void;
  /** Whether `onFailure` shows the failure to the user. If so, the failure isn't logged as an error. */
  readonly reportsFailure?: boolean;
  editInitialize?(request: Request): Request;
  editInitialized?(outcome: Outcome): Outcome;
  /** Handles a cancellation inside an envelope, in proxy mode. */
  onWrappedCancel?(params: Json | undefined): void;
}

/**
 * Connects an editor to an agent. Builds the chain at `initialize` from the editor's capabilities and the components' needs, and forwards
 * all other messages through it unparsed.
 */
export class Conductor implements AsyncDisposable {
  readonly fromClient: Peer;
  readonly #options: ConductorOptions;
  readonly #pending = new Set<Reply>();
  readonly #startupTimers = new Set<TimerHandle>();
  #chain: Chain | undefined;
  #failure: ChainFailure | undefined;
  #dialect: ProxyDialect = currentDialect;

  constructor(options: ConductorOptions) {
    this.#options = options;
    this.fromClient = {
      request: (request, reply) => this.#request(request, reply),
      notify: (notification) => this.#notify(notification),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#startupTimers) clearTimeout(timer);
    await this.#chain?.[Symbol.asyncDispose]();
  }

  get #isProxyMode(): boolean {
    return this.#options.agent === undefined;
  }

  #request(request: Request, reply: Reply): Cancel {
    if (this.#failure) return refuse(reply, this.#failure.error);
    const tracked: Reply = (outcome) => {
      if (this.#pending.delete(tracked)) reply(outcome);
    };
    this.#pending.add(tracked);
    return this.#route(request, tracked);
  }

  #route(request: Request, reply: Reply): Cancel {
    const dialect = proxyInitializeDialect(request.method);
    if (dialect) return this.#proxyInitialize(request, reply, dialect);
    if (request.method === acpMethods.initialize) {
      if (!this.#isProxyMode) return this.#initialize(request, reply);
      const hint = "this is a proxy and must be initialized with proxy/initialize; to run an agent, pass --agent";
      return refuse(reply, RpcError.invalidRequest(hint));
    }
    if (!this.#chain) return refuse(reply, RpcError.invalidRequest("expected `initialize` request"));
    if (successorDialect(request.method)) return this.#fromSuccessor(request, reply, this.#chain);
    return this.#chain.first.request(this.#inAbsoluteFolder(request), reply);
  }

  /** Makes the folder absolute, as ACP requires. Some clients send `.` for the folder in which they started Symposium. */
  #inAbsoluteFolder(request: Request): Request {
    const { absoluteFolder, logger } = this.#options.environment;
    const folder = isSessionSetup(request.method) ? request.params?.object?.["cwd"] : undefined;
    if (!absoluteFolder || !request.params || typeof folder !== "string" || folder === "") return request;
    const absolute = absoluteFolder(folder);
    if (absolute === folder) return request;
    logger.warn("a session's cwd is relative; resolved it against this process's folder", { cwd: folder, absolute });
    return new Request(request.method, withMember(request.params, ["cwd"], Json.of(absolute)));
  }

  #notify(notification: Notification): void {
    const chain = this.#chain;
    if (!chain || this.#failure) return;
    if (!successorDialect(notification.method)) {
      chain.first.notify(notification);
      return;
    }
    const inner = this.#isProxyMode ? unwrap(notification.params) : undefined;
    if (inner === undefined || successorDialect(inner.method)) {
      this.#options.environment.logger.warn("dropped a misplaced successor envelope");
    } else if (inner.method === cancelRequestMethod) this.#options.onWrappedCancel?.(inner.params);
    else chain.fromEnd.notify(new Notification(inner.method, inner.params));
  }

  #proxyInitialize(request: Request, reply: Reply, dialect: ProxyDialect): Cancel {
    if (!this.#isProxyMode) {
      return refuse(
        reply,
        RpcError.invalidRequest(`${request.method} is for proxies; expected \`initialize\` request`),
      );
    }
    this.#dialect = dialect;
    return this.#initialize(new Request(acpMethods.initialize, request.params), reply);
  }

  #fromSuccessor(request: Request, reply: Reply, chain: Chain): Cancel {
    const inner = unwrap(request.params);
    if (!this.#isProxyMode) return refuse(reply, RpcError.invalidRequest(`${request.method} comes from proxies only`));
    if (inner === undefined) return refuse(reply, RpcError.invalidParams(`${request.method} needs a method`));
    if (successorDialect(inner.method))
      return refuse(reply, RpcError.invalidRequest(`${inner.method} inside ${request.method}`));
    return chain.fromEnd.request(new Request(inner.method, inner.params), reply);
  }

  #initialize(given: Request, reply: Reply): Cancel {
    const { startupTimeoutMs } = this.#options;
    const request = this.#options.editInitialize?.(given) ?? given;
    this.#chain ??= this.#assemble(request);
    const chain = this.#chain;
    const timer = setTimeout(() => {
      this.#fail(
        startupTimeoutFailure(chain.initializingComponent ?? "the chain", startupTimeoutMs, this.#placesFor(request)),
      );
    }, startupTimeoutMs);
    timer.unref?.();
    this.#startupTimers.add(timer);
    return chain.first.request(request, (outcome) => {
      clearTimeout(timer);
      this.#startupTimers.delete(timer);
      reply(this.#options.editInitialized?.(outcome) ?? outcome);
    });
  }

  #placesFor(request: Request): PlaceNames {
    const name = asObject(request.params?.object?.["clientInfo"])?.["name"];
    return this.#options.places?.(stringOf(name)) ?? {};
  }

  #assemble(request: Request): Chain {
    const { agent, proxies, adapters = [], lastProxies, client, clientChannel, environment } = this.#options;
    const successor: Peer = {
      request: (inner, reply) => client.request(new Request(this.#dialect.successor, wrap(inner)), reply),
      notify: (inner) => client.notify(new Notification(this.#dialect.successor, wrap(inner))),
    };
    return new Chain({
      proxies: insertAdapters(proxies, adapters, request.params?.object?.["clientCapabilities"]),
      ...(agent && lastProxies && { lastProxies }),
      end: agent ? { agent } : { successor, canCarryMcp: () => this.#dialect === currentDialect },
      client,
      clientChannel,
      environment,
      places: this.#placesFor(request),
      onFailure: (failure) => this.#fail(failure),
      ...(agent && this.#options.onMcpServer && { onMcpServer: this.#options.onMcpServer }),
    });
  }

  #fail(failure: ChainFailure): void {
    if (this.#failure) return;
    this.#failure = failure;
    const { environment, reportsFailure = false } = this.#options;
    const { component, message } = failure;
    environment.logger[reportsFailure ? "debug" : "error"]("the chain failed", { component, message });
    const outcome = Outcome.error(failure.error);
    for (const reply of [...this.#pending]) reply(outcome);
    this.#options.onFailure?.(failure);
  }
}

function refuse(reply: Reply, error: RpcError): Cancel {
  reply(Outcome.error(error));
  return nothingToCancel;
}

/**
 * Builds the proxies for one editor, in the given order. Before each proxy, adds an adapter (the proxy's own, otherwise from `adapters`)
 * for each needed capability that neither the editor nor an earlier adapter provides. Without an adapter, the proxy still joins and learns
 * from `initialize` that the capability is missing.
 */
export function insertAdapters(
  wanted: readonly ProxyComponent[],
  adapters: readonly Adapter[],
  clientCapabilities: unknown,
): ProxyComponent[] {
  const provided = new Set<string>();
  return wanted.flatMap((component): ProxyComponent[] => {
    const { needs = [], adapters: own = [] } = component.kind === "proxy" ? component.proxy : {};
    const joining: Adapter[] = [];
    for (const path of needs) {
      if (provided.has(path) || hasCapability(clientCapabilities, path)) continue;
      const adapter = [...own, ...adapters].find(({ provides }) => provides === path);
      if (!adapter) continue;
      provided.add(path);
      joining.push(adapter);
    }
    return [...joining.map((adapter) => ({ kind: "proxy" as const, proxy: adapter.make() })), component];
  });
}
