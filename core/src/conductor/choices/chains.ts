import { acpMethods, isSessionSetup } from "../../base/acp/methods.js";
import type { LineChannel } from "../../base/line-channel-contract.js";
import type { Logger } from "../../base/logger.js";
import { messageOf } from "../../base/symposium-error.js";
import { hasCapability } from "../../base/acp/capabilities.js";
import type { ChainFailure } from "../chain/failure.js";
import { openedSessionId } from "../chain/session-resources.js";
import { parseSignIns } from "../chain/sign-in.js";
import { elementsOf, memberOf, withMember, withoutMember } from "../../base/rpc/json-edit.js";
import { Json } from "../../base/rpc/json.js";
import { type Notification, Outcome, Request } from "../../base/rpc/message.js";
import type { Cancel, Peer, Reply } from "../../base/rpc/peer.js";
import { RpcError, rpcErrorCodes } from "../../base/rpc/rpc-error.js";
import type { AgentProtection } from "./agent-protection.js";
import type { ChainHooks, OpenedChain } from "./agent-switch.js";
import { ConnectionChains } from "./connection-chains.js";
import type { Change, Choice, Offer } from "./chosen-agent-and-proxies.js";
import { ChainSelection, type Continuing } from "./chain-selection.js";
import { CurrentChain } from "./current-chain.js";
import { agentSwitchOf } from "./session-transfer.js";
import type { KnownSessions } from "./known-sessions.js";
import { behindOwn, firstOfKept, type KeptPage, placeInKept } from "./stored-session-list.js";
import { CombinedOptions } from "./combined-options.js";
import { OpenSession } from "./open-session.js";
import type { RunningChain } from "./running-chain.js";
import { sessionIdOf } from "../../base/acp/session-message.js";
import { towardClient } from "./toward-client.js";

export interface ChainsOptions {
  readonly client: Peer;
  readonly clientChannel?: LineChannel | undefined;
  readonly logger: Logger;
  readonly offer: Offer;
  /** The configured choice, which the `first` chain implements. */
  readonly choice: Choice;
  readonly file: string;
  first(client: Peer, hooks: ChainHooks): OpenedChain;
  /** Creates another chain. Rejects if a component is unknown. */
  open(choice: Choice, client: Peer, hooks: ChainHooks): Promise<OpenedChain>;
  save(change: Change): Promise<void>;
  signInLine(choice: Choice): string;
  readonly protection: AgentProtection;
  readonly known: KnownSessions;
  /** Returns a page of stored conversations for `session/list`, limited to accepted agents. Absent if nothing is stored. */
  readonly kept?: (params: Json | undefined, isWanted: (agent: string) => boolean) => Promise<KeptPage>;
  /**
   * Extends `session/new` parameters to continue a conversation. Rejects with the reason if the conversation doesn't exist. Absent if
   * nothing is stored.
   */
  readonly continuing?: Continuing;
  /** Called when the last chain has failed, after every pending request has been answered. */
  onFailure(failure: ChainFailure): void;
}

/**
 * Routes messages between a client and this process's chains. Adds config options and slash commands to those of the agents, so that users
 * can choose agent and proxies. With a single chain, other messages pass unparsed.
 */
export class Chains implements AsyncDisposable {
  readonly fromClient: Peer;
  readonly #options: ChainsOptions;
  readonly #chains: ConnectionChains;
  readonly #first: RunningChain;
  readonly #current: CurrentChain;
  readonly #merged: CombinedOptions;
  readonly #choosing: ChainSelection;
  readonly #sessions = new Map<string, OpenSession>();
  readonly #handlers: ReadonlyMap<string, (request: Request, reply: Reply) => Cancel>;
  #initializeParams: Json | undefined;

  constructor(options: ChainsOptions) {
    this.#options = options;
    const { client, clientChannel, logger, choice } = options;
    this.#merged = new CombinedOptions(options.offer);
    this.#chains = new ConnectionChains({
      clientChannel,
      logger,
      clientOf: (chain) =>
        towardClient(chain, {
          client,
          merged: this.#merged,
          isOnly: () => this.#chains.only !== undefined,
          sessionOf: (id) => this.#sessions.get(id),
        }),
      open: (wanted, toClient, hooks) => options.open(wanted, toClient, hooks),
      agentSwitchOf: (chain) =>
        agentSwitchOf(chain, () => ({
          chains: this.#chains,
          current: this.#current,
          sessionOf: (id) => this.#sessions.get(id ?? ""),
          onMoved: (session) => this.#merged.emit(session),
        })),
      onFailure: (failure) => options.onFailure(failure),
    });
    this.#first = this.#chains.first(choice, (toClient, hooks) => options.first(toClient, hooks));
    this.#current = new CurrentChain({
      chains: this.#chains,
      first: this.#first,
      logger,
      initializeParams: () => this.#furtherParams,
      sessions: () => this.#sessions.values(),
      save: (change) => options.save(change),
      signInLine: (wanted) => options.signInLine(wanted),
      onMoved: (session) => {
        this.#remember(session);
        this.#merged.emit(session);
      },
    });
    this.#choosing = new ChainSelection({ ...options, current: this.#current, merged: this.#merged });
    this.#handlers = new Map<string, (request: Request, reply: Reply) => Cancel>([
      [acpMethods.initialize, (request, reply) => this.#initialize(request, reply)],
      [acpMethods.authenticate, (request, reply) => this.#authenticate(request, reply)],
      [acpMethods.sessionClose, (request, reply) => this.#end(request, reply)],
      [acpMethods.sessionDelete, (request, reply) => this.#end(request, reply)],
      ["session/list", (request, reply) => this.#list(request, reply)],
      [acpMethods.sessionPrompt, (request, reply) => this.#prompt(request, reply)],
      ["session/set_config_option", (request, reply) => this.#setOption(request, reply)],
    ]);
    this.fromClient = {
      request: (request, reply) => this.#request(request, reply),
      notify: (notification) => this.#notify(notification),
    };
  }

  /** Agent of a session, open or not; for an unknown session, the agent of new sessions. */
  agentOf(sessionId: string): string {
    const open = this.#sessions.get(sessionId)?.chain.choice.agent;
    return open ?? this.#agentOf(sessionId) ?? this.#current.chain.choice.agent;
  }

  folderOf(sessionId: string): string | undefined {
    return this.#sessions.get(sessionId)?.folder;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#chains[Symbol.asyncDispose]();
  }

  #request(request: Request, reply: Reply): Cancel {
    const handler = this.#handlers.get(request.method);
    if (handler) return handler(request, reply);
    if (isSessionSetup(request.method)) return this.#setUp(request, reply);
    const { only } = this.#chains;
    if (only) return only.request(request, reply);
    const session = this.#sessionOf(request.params);
    return session ? session.request(request, reply) : this.#current.chain.request(request, reply);
  }

  #notify(notification: Notification): void {
    const isCancel = notification.method === acpMethods.sessionCancel;
    const only = isCancel ? undefined : this.#chains.only;
    if (only) {
      only.notify(notification);
      return;
    }
    const session = this.#sessionOf(notification.params);
    const ofChild = session ? undefined : this.#chains.ofChild(sessionIdOf(notification.params) ?? "");
    if (!session) (ofChild ?? this.#current.chain).notify(notification);
    else if (!isCancel) session.notify(notification);
    else if (!this.#choosing.cancel(session)) session.cancel(notification);
  }

  #sessionOf(params: Json | undefined): OpenSession | undefined {
    return this.#sessions.get(sessionIdOf(params) ?? "");
  }

  #initialize(request: Request, reply: Reply): Cancel {
    this.#initializeParams = request.params;
    const capabilities = request.params?.object?.["clientCapabilities"];
    this.#merged.takesBooleans = hasCapability(capabilities, "session.configOptions.boolean");
    return this.#first.initialize(request.params, reply);
  }

  /** `initialize` parameters for further chains: the client's, with the protocol version of the first answer. */
  get #furtherParams(): Json | undefined {
    const params = this.#initializeParams;
    const version = memberOf(this.#first.initialized, "protocolVersion");
    const isSame = !params || !version || memberOf(params, "protocolVersion")?.text === version.text;
    return isSame ? params : withMember(params, ["protocolVersion"], version);
  }

  /**
   * Sends the sign-in to the chain for new sessions, or to the first chain if only that chain's agent offers the method and the first chain
   * still runs.
   */
  #authenticate(request: Request, reply: Reply): Cancel {
    const methodId = request.params?.object?.["methodId"];
    const isOf = (chain: RunningChain): boolean => parseSignIns(chain.initialized).some(({ id }) => id === methodId);
    const { chain } = this.#current;
    const isFirst = !isOf(chain) && isOf(this.#first) && !this.#first.hasEnded;
    return (isFirst ? this.#first : chain).request(request, reply);
  }

  #setUp(request: Request, reply: Reply): Cancel {
    const open = this.#sessionOf(request.params);
    const isLost = open?.chain.failure !== undefined;
    if (open && !isLost) return this.#openIn(open.chain, request, reply);
    // The session's chain has failed, so the reopened session uses another chain.
    if (open && request.method !== acpMethods.sessionFork) this.#forget(open);
    return this.#withAgent(request, reply, (chain) => this.#openIn(chain, request, reply));
  }

  /** Sends a request for a session that isn't open to a chain with the session's agent. Starts the chain if necessary. */
  #withAgent(request: Request, reply: Reply, send: (chain: RunningChain) => Cancel): Cancel {
    const { chain } = this.#current;
    const agent = this.#agentOf(sessionIdOf(request.params));
    const isHere = agent === undefined || agent === chain.choice.agent;
    if (isHere && chain.failure === undefined) return send(chain);
    const stop = new AbortController();
    let cancel = (): void => stop.abort();
    this.#current.running(agent, stop.signal).then(
      (started) => {
        cancel = send(started);
      },
      (fault: unknown) =>
        reply(Outcome.error(stop.signal.aborted ? RpcError.cancelled() : RpcError.internal(messageOf(fault)))),
    );
    return () => cancel();
  }

  #openIn(chain: RunningChain, request: Request, reply: Reply): Cancel {
    const restored = this.#restore(chain, request);
    return chain.requestApart(this.#withAgentId(chain, request), (outcome) => {
      if (outcome.isError && restored) this.#forget(restored);
      else if (outcome.isError && chain !== this.#current.chain) void this.#current.tidy();
      reply(this.#opened(chain, request, outcome));
    });
  }

  /** Agent of a session that the client reopens; undefined if the agent is unknown or no longer offered. */
  #agentOf(id: string | undefined): string | undefined {
    const agent = id === undefined ? undefined : this.#options.known.agentOf(id);
    return this.#options.offer.agents.find((offered) => offered.id === agent)?.id;
  }

  /**
   * Replaces a request's session id with the agent's id if the session isn't open in `chain`. For open sessions, the chain translates ids
   * itself.
   */
  #withAgentId(chain: RunningChain, request: Request): Request {
    const id = sessionIdOf(request.params) ?? "";
    const isOpen = this.#sessions.get(id)?.chain === chain;
    const agentId = isOpen ? undefined : this.#options.known.agentIdOf(id);
    if (!request.params || agentId === undefined) return request;
    return new Request(request.method, withMember(request.params, ["sessionId"], Json.of(agentId)));
  }

  #remember({ id, agentId, chain }: OpenSession): void {
    this.#options.known.add(id, agentId, chain.choice.agent);
  }

  /** Registers the ids of a session that was moved earlier, before the session's history arrives. */
  #restore(chain: RunningChain, request: Request): OpenSession | undefined {
    const id = sessionIdOf(request.params);
    const agentId = id === undefined || this.#sessions.has(id) ? undefined : this.#options.known.agentIdOf(id);
    if (id === undefined || agentId === undefined || request.method === acpMethods.sessionFork) return undefined;
    const session = new OpenSession(id, this.#options.client, asNew(request.params), chain, agentId, true);
    this.#sessions.set(id, session);
    return session;
  }

  #forget(session: OpenSession): void {
    session.end();
    this.#sessions.delete(session.id);
    void this.#current.tidy();
  }

  /** Returns the agent's sessions with the client's ids, followed by stored conversations of any agent that aren't among them. */
  #list(request: Request, reply: Reply): Cancel {
    const { chain } = this.#current;
    const { kept, known, offer } = this.#options;
    const place = placeInKept(request.params);
    const asked = place ? new Request(request.method, place.ownParams) : request;
    return chain.request(asked, (outcome) => {
      const sessions = outcome.isError ? undefined : elementsOf(memberOf(outcome.json, "sessions") ?? Json.null);
      if (!sessions) {
        reply(outcome);
        return;
      }
      const listed = sessions.map((session) => {
        const id = known.clientIdOf(sessionIdOf(session) ?? "");
        return id === undefined ? session : withMember(session, ["sessionId"], Json.of(id));
      });
      const answer = (page?: KeptPage): void => reply(Outcome.result(behindOwn(outcome.json, listed, page, place)));
      const hasMore = typeof outcome.json.object?.["nextCursor"] === "string";
      if (!kept || (hasMore && !place)) {
        answer();
        return;
      }
      // If the agent has further pages of sessions, their entries are unknown here, so the agent's stored conversations could be
      // duplicates.
      const isWhole = !hasMore && (place !== undefined || request.params?.object?.["cursor"] === undefined);
      const agents = offer.agents.filter(({ id }) => isWhole || id !== chain.choice.agent);
      const params = place ? place.keptParams : firstOfKept(request.params);
      kept(params, (agent) => agents.some(({ id }) => id === agent)).then(answer, () => answer());
    });
  }

  /** Registers the opened session in `chain`, and adds Symposium's options to the answer. */
  #opened(chain: RunningChain, request: Request, outcome: Outcome): Outcome {
    const openedId = openedSessionId(request, outcome);
    if (openedId === undefined) return chain === this.#first ? outcome : this.#current.withRemedy(chain, outcome);
    const isNamed = memberOf(outcome.json, "sessionId") !== undefined;
    const known = isNamed ? undefined : this.#sessions.get(openedId);
    const session = known ?? this.#register(chain, openedId, request);
    session.offers.open(outcome.json);
    // Commands are sent after the reply, since clients drop updates for unknown sessions.
    queueMicrotask(() => this.#merged.emitCommands(session));
    if (chain !== this.#current.chain) void this.#current.gather();
    const answer = this.#merged.withOptions(outcome.json, session.offers, chain.choice);
    return Outcome.result(isNamed ? withMember(answer, ["sessionId"], Json.of(session.id)) : answer);
  }

  /** Registers a session. Creates a new id if the client uses the agent's id for another session. */
  #register(chain: RunningChain, agentId: string, request: Request): OpenSession {
    const other = this.#sessions.get(agentId);
    const isSame = other?.isIn(chain, agentId) === true;
    if (isSame) other.end();
    const id = other && !isSame ? `${agentId}-${crypto.randomUUID()}` : agentId;
    const hasHistory = request.method !== acpMethods.sessionNew;
    const session = new OpenSession(id, this.#options.client, asNew(request.params), chain, agentId, hasHistory);
    this.#sessions.set(id, session);
    if (id !== agentId) this.#remember(session);
    return session;
  }

  /** If a later chain's agent can't close sessions, Symposium only forgets the session. */
  #end(request: Request, reply: Reply): Cancel {
    const session = this.#sessionOf(request.params);
    const isDeletion = request.method === acpMethods.sessionDelete;
    if (isDeletion && (!session || session.chain.failure)) return this.#delete(request, reply);
    if (!session) return this.#current.chain.request(request, reply);
    return session.request(request, (outcome) => {
      const isUnknown = outcome.isError && outcome.json.object?.["code"] === rpcErrorCodes.methodNotFound;
      const isSettled = isUnknown && session.chain !== this.#first && request.method === acpMethods.sessionClose;
      if (!outcome.isError || isSettled) this.#forget(session);
      if (!outcome.isError && isDeletion) this.#options.known.forget(session.id);
      reply(isSettled ? Outcome.of({}) : outcome);
    });
  }

  #delete(request: Request, reply: Reply): Cancel {
    return this.#withAgent(request, reply, (chain) =>
      chain.requestApart(this.#withAgentId(chain, request), (outcome) => {
        const lost = this.#sessionOf(request.params);
        if (!outcome.isError && lost) this.#forget(lost);
        if (!outcome.isError) this.#options.known.forget(sessionIdOf(request.params) ?? "");
        if (chain !== this.#current.chain) void this.#current.tidy();
        reply(outcome);
      }),
    );
  }

  #prompt(request: Request, reply: Reply): Cancel {
    const session = this.#sessionOf(request.params);
    if (!session) return this.#current.chain.request(request, reply);
    const command = this.#choosing.command(session, request, reply);
    if (command) return command;
    // A session being handed over is stored with its next agent instead.
    if (session.isFresh && canReopen(session.chain) && !session.chain.handsOver) this.#remember(session);
    return session.prompt(request, (outcome) => {
      // The offer must arrive before the error ends the turn.
      if (outcome.isError) this.#choosing.offerOthers(session, outcome);
      reply(outcome);
    });
  }

  #setOption(request: Request, reply: Reply): Cancel {
    const session = this.#sessionOf(request.params);
    if (!session) return this.#current.chain.request(request, reply);
    return this.#choosing.setOption(session, request, reply);
  }
}

function asNew(params: Json | undefined): Json | undefined {
  return params && withoutMember(params, ["sessionId"]);
}

function canReopen(chain: RunningChain): boolean {
  return chain.can("loadSession") || chain.can("sessionCapabilities.resume");
}
