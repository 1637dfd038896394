import { acpMethods, isSessionSetup } from "../../base/acp/methods.js";
import type { LineChannel } from "../../base/line-channel.js";
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
import type { AgentProtection } from "./protection-choice.js";
import type { ChainHooks, OpenedChain } from "./agent-switch.js";
import { ConnectionChains } from "./connection-chains.js";
import type { Change, Choice, Offer } from "./choice.js";
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
  /** What the configuration says; the chain of `first` is made of it. */
  readonly choice: Choice;
  /** The configuration's path, for people. */
  readonly file: string;
  /** Makes the chain that the client's `initialize` starts. */
  first(client: Peer, hooks: ChainHooks): OpenedChain;
  /** Makes another one. Rejects where a component is not known. */
  open(choice: Choice, client: Peer, hooks: ChainHooks): Promise<OpenedChain>;
  /** Writes a change into the configuration. */
  save(change: Change): Promise<void>;
  /** What a user types in a terminal to sign in to the agent of `choice`. */
  signInLine(choice: Choice): string;
  /** How agents are held. */
  readonly protection: AgentProtection;
  /** Where sessions are remembered. */
  readonly known: KnownSessions;
  /** What `session/list` with these parameters shows of kept conversations with agents that are wanted; none when absent. */
  readonly kept?: (params: Json | undefined, isWanted: (agent: string) => boolean) => Promise<KeptPage>;
  /**
   * Makes the parameters of a `session/new` ones that go on with a conversation. Rejects with the reason where there is
   * none. Absent where nothing is kept.
   */
  readonly continuing?: Continuing;
  /** The last chain has failed, and every waiting request has been answered. */
  onFailure(failure: ChainFailure): void;
}

/**
 * Stands between a client and the chains of this process, where users choose agent and proxies by config options and
 * slash commands: adds these to what the agents offer, and sends each session's messages to the chain that it is in.
 * With one chain, all that it does not add to passes unread.
 */
export class Chains implements AsyncDisposable {
  /** What the client calls. */
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

  /** The agent that a session is with, open or not, or a new one would be. */
  agentOf(sessionId: string): string {
    const open = this.#sessions.get(sessionId)?.chain.choice.agent;
    return open ?? this.#agentOf(sessionId) ?? this.#current.chain.choice.agent;
  }

  /** Where a session works; undefined where it is not open. */
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

  /** The parameters of `initialize` for further chains: the client's, with the version that it was answered. */
  get #furtherParams(): Json | undefined {
    const params = this.#initializeParams;
    const version = memberOf(this.#first.initialized, "protocolVersion");
    const isSame = !params || !version || memberOf(params, "protocolVersion")?.text === version.text;
    return isSame ? params : withMember(params, ["protocolVersion"], version);
  }

  /** The client knows the methods of the first chain's agent, whichever chain is for new sessions. */
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
    // Its chain is gone: whoever opens it again has it in another one.
    if (open && request.method !== acpMethods.sessionFork) this.#forget(open);
    return this.#withAgent(request, reply, (chain) => this.#openIn(chain, request, reply));
  }

  /** Sends a request of a session that is not open into a chain with its agent, which is started where none runs. */
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

  /** The agent that a session is with which the client opens again; undefined where that is not known, or not offered. */
  #agentOf(id: string | undefined): string | undefined {
    const agent = id === undefined ? undefined : this.#options.known.agentOf(id);
    return this.#options.offer.agents.find((offered) => offered.id === agent)?.id;
  }

  /** A request with the agent's own id of a session that is not open in `chain`; of open ones the chain knows both. */
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

  /** A session that moved in its time and is loaded again has its ids before its history comes. */
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

  /** The agent's list, with the ids that the client knows, and behind it what is kept that is not in it, with any agent. */
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
      // What came on other pages of the agent's own is not known here.
      const isWhole = !hasMore && (place !== undefined || request.params?.object?.["cursor"] === undefined);
      const agents = offer.agents.filter(({ id }) => isWhole || id !== chain.choice.agent);
      const params = place ? place.keptParams : firstOfKept(request.params);
      kept(params, (agent) => agents.some(({ id }) => id === agent)).then(answer, () => answer());
    });
  }

  /** The session that a set-up request has opened is in `chain` from here on; its answer gets our options. */
  #opened(chain: RunningChain, request: Request, outcome: Outcome): Outcome {
    const openedId = openedSessionId(request, outcome);
    if (openedId === undefined) return chain === this.#first ? outcome : this.#current.withRemedy(chain, outcome);
    const isNamed = memberOf(outcome.json, "sessionId") !== undefined;
    const known = isNamed ? undefined : this.#sessions.get(openedId);
    const session = known ?? this.#register(chain, openedId, request);
    session.offers.open(outcome.json);
    // After the answer: clients drop updates for sessions that they do not know yet.
    queueMicrotask(() => this.#merged.emitCommands(session));
    if (chain !== this.#current.chain) void this.#current.gather();
    const answer = this.#merged.withOptions(outcome.json, session.offers, chain.choice);
    return Outcome.result(isNamed ? withMember(answer, ["sessionId"], Json.of(session.id)) : answer);
  }

  /** An id that the client has for another session, of whichever agent: it hears another one then. */
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

  /** What an agent that the client knows nothing of cannot close, it just stops working on. */
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

  /** Deletes a session that is not open, or whose chain is gone. */
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
    // One that is handed over is remembered with the agent that it goes to.
    if (session.isFresh && canReopen(session.chain) && !session.chain.handsOver) this.#remember(session);
    return session.prompt(request, (outcome) => {
      // What the user was offered is said before the error ends the turn.
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

/** The parameters of a request that opens a session, for one that opens another like it. */
function asNew(params: Json | undefined): Json | undefined {
  return params && withoutMember(params, ["sessionId"]);
}

function canReopen(chain: RunningChain): boolean {
  return chain.can("loadSession") || chain.can("sessionCapabilities.resume");
}
