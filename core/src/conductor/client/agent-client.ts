import type {
  AuthenticateResponse,
  ClientCapabilities,
  ForkSessionResponse,
  Implementation,
  InitializeResponse,
  ListSessionsResponse,
  LoadSessionResponse,
  NewSessionResponse,
  PromptResponse,
  ResumeSessionResponse,
  SessionUpdate,
  SetSessionConfigOptionResponse,
} from "@agentclientprotocol/sdk/unstable";
import { EarlyUpdates } from "../../base/acp/early-updates.js";
import { acpMethods, acpVersion } from "../../base/acp/methods.js";
import { Logger } from "../../base/logger.js";
import { messageOf, SymposiumError } from "../../base/symposium-error.js";
import { asObject, type Members, stringOf } from "../../base/rpc/json.js";
import { Notification, Outcome, Request } from "../../base/rpc/message.js";
import { ask, type Cancel, type Peer, type Reply } from "../../base/rpc/peer.js";
import { RpcError } from "../../base/rpc/rpc-error.js";
import { AgentRefusal, RequestFailure } from "./agent-errors.js";
import { AgentSession, type SessionClient, type SessionListener, type SessionSetup } from "./agent-session.js";
import { type InitializedAgent, parseInitialized } from "./initialized-agent.js";
import type { Unchecked } from "./unchecked.js";

interface Results {
  [acpMethods.initialize]: InitializeResponse;
  [acpMethods.authenticate]: AuthenticateResponse;
  [acpMethods.sessionNew]: NewSessionResponse;
  [acpMethods.sessionLoad]: LoadSessionResponse;
  [acpMethods.sessionResume]: ResumeSessionResponse;
  [acpMethods.sessionFork]: ForkSessionResponse;
  [acpMethods.sessionList]: ListSessionsResponse;
  [acpMethods.setConfigOption]: SetSessionConfigOptionResponse;
  [acpMethods.sessionPrompt]: PromptResponse;
}

/** A request or notification from the agent, except `session/update`. */
export interface AgentCall<L extends SessionListener = SessionListener> {
  readonly method: string;
  readonly params: Members | undefined;
  /** The session that the message names; undefined if it names none or an unknown session. */
  readonly session: AgentSession<L> | undefined;
  /** Fires when the agent cancels the request, the session ends, or the turn that the request's question belongs to is cancelled. */
  readonly signal: AbortSignal;
  /** Answers the request immediately, before any later message is sent. The handler's own result is then ignored. */
  readonly answer: (result: unknown) => void;
}

/**
 * Handles an agent's request and returns the result or a promise for it. A thrown `RequestFailure` or `SymposiumError` becomes the error
 * response.
 */
export type AgentRequestHandler<L extends SessionListener = SessionListener> = (call: AgentCall<L>) => unknown;

export interface AgentClientOptions<L extends SessionListener = SessionListener> {
  readonly clientInfo?: Implementation;
  /** Capabilities sent as `clientCapabilities`; may include members that the schema doesn't define. */
  readonly capabilities: ClientCapabilities | Members;
  readonly meta?: Members;
  /** Handlers by wire method. Other methods are answered with "method not found". */
  readonly requests?: Readonly<Record<string, AgentRequestHandler<L>>>;
  /** Called with notifications other than `session/update`. */
  notification?(call: AgentCall<L>): void;
  /** Called with updates of sessions that this client didn't open, such as sub-agent sessions. */
  otherUpdate?(sessionId: string, update: Unchecked<SessionUpdate>): void;
  /** Returns the session that owns a request whose session id was never announced. By default, no session owns such a request. */
  ownerOf?(sessionId: string, sessions: readonly AgentSession<L>[]): AgentSession<L> | undefined;
  readonly logger?: Logger;
}

/** Methods of requests that wait for the user's answer. If the turn ends first, Symposium answers them. */
const questions: readonly string[] = [acpMethods.requestPermission, acpMethods.createElicitation];

interface OpenRequest {
  readonly method: string;
  readonly sessionId: string | undefined;
  /** The session id in the request, which may be the id of a sub-agent's session. */
  readonly askedIn: string | undefined;
  readonly controller: AbortController;
}

/**
 * ACP v1 client of one agent, or of a chain that ends in an agent. Updates and requests that arrive before their session's id is known wait
 * for the response. Listeners and handlers get messages with all members.
 */
export class AgentClient<L extends SessionListener = SessionListener> implements SessionClient {
  readonly fromAgent: Peer = {
    request: (request, reply) => this.#request(request, reply),
    notify: (notification) => this.#notify(notification),
  };
  readonly #sessions = new Map<string, AgentSession<L>>();
  readonly #aliases = new Map<string, string>();
  readonly #requests = new Set<OpenRequest>();
  #agent: Peer | undefined;
  #initialized: InitializedAgent | undefined;
  readonly #early = new EarlyUpdates<Unchecked<SessionUpdate>>();
  #waiting: (() => void)[] = [];

  constructor(private readonly options: AgentClientOptions<L>) {}

  /**
   * Initializes `agent`, which calls {@link fromAgent}. The caller must check the agent's protocol version. To initialize a proxy, pass
   * another `method`.
   */
  async initialize(
    agent: Peer,
    { signal, method = acpMethods.initialize }: { readonly signal?: AbortSignal; readonly method?: string } = {},
  ): Promise<InitializedAgent> {
    this.#agent = agent;
    const { capabilities, clientInfo, meta } = this.options;
    const params = {
      protocolVersion: acpVersion,
      clientCapabilities: capabilities,
      clientInfo,
      ...(meta && { _meta: meta }),
    };
    this.#initialized = parseInitialized(await this.call(method, params, signal));
    return this.#initialized;
  }

  /** Joins a conversation with an agent that another client initialized; `result` is its `initialize` result. */
  join(agent: Peer, result: Members): void {
    this.#agent = agent;
    this.#initialized = parseInitialized(result);
  }

  /** The parsed `initialize` result. Throws until {@link initialize} has resolved or {@link join} was called. */
  get initialized(): InitializedAgent {
    if (!this.#initialized) throw new Error("The agent has not answered initialize.");
    return this.#initialized;
  }

  get sessions(): AgentSession<L>[] {
    return [...this.#sessions.values()];
  }

  async authenticate(methodId: string): Promise<void> {
    await this.call(acpMethods.authenticate, { methodId });
  }

  newSession(setup: SessionSetup, listener: L): Promise<AgentSession<L>> {
    return this.#whileOpening(async () => {
      const result = await this.call(acpMethods.sessionNew, this.#setupParams(setup));
      return this.#add(idOf(result), listener, result);
    });
  }

  /** Sends `session/fork`: opens a session that continues another session's conversation. */
  forkSession(sessionId: string, setup: SessionSetup, listener: L): Promise<AgentSession<L>> {
    return this.#whileOpening(async () => {
      const result = await this.call(acpMethods.sessionFork, { sessionId, ...this.#setupParams(setup) });
      return this.#add(idOf(result), listener, result);
    });
  }

  /** Sends `session/resume`: reopens a session without replaying its messages. */
  resumeSession(sessionId: string, setup: SessionSetup, listener: L): Promise<AgentSession<L>> {
    return this.#reopen(acpMethods.sessionResume, sessionId, setup, listener);
  }

  /** Sends `session/load`: reopens a session. `listener` gets all of the session's messages before the promise resolves. */
  loadSession(sessionId: string, setup: SessionSetup, listener: L): Promise<AgentSession<L>> {
    return this.#reopen(acpMethods.sessionLoad, sessionId, setup, listener);
  }

  async deleteSession(sessionId: string): Promise<void> {
    this.forget(sessionId);
    await this.call(acpMethods.sessionDelete, { sessionId });
  }

  /** Sends a request and resolves with its result, or `{}` if the result is no object. Rejects with {@link AgentRefusal}. */
  call<M extends keyof Results>(
    method: M,
    params: object,
    signal?: AbortSignal,
  ): Promise<Unchecked<Results[M]> & Members>;
  call(method: string, params: object, signal?: AbortSignal): Promise<Members>;
  async call(method: string, params: object, signal?: AbortSignal): Promise<Members> {
    if (!this.#agent) throw new Error("The agent isn't connected.");
    const { isError, json } = await ask(this.#agent, Request.of(method, params), signal);
    if (isError) throw new AgentRefusal(json.value);
    return json.object ?? {};
  }

  notify(method: string, params: object): void {
    this.#agent?.notify(Notification.of(method, params));
  }

  giveUpQuestions(sessionId: string): void {
    this.#giveUp((open) => [open.sessionId, open.askedIn].includes(sessionId) && questions.includes(open.method));
  }

  /** Ignores further messages of the session and aborts the agent's requests in it. */
  forget(sessionId: string): void {
    const session = this.#sessions.get(sessionId);
    if (!session) return;
    this.#sessions.delete(sessionId);
    for (const [child, parent] of this.#aliases) if (parent === sessionId) this.#aliases.delete(child);
    this.#giveUp((open) => open.sessionId === sessionId);
    session.listener.ended?.();
  }

  /** Ends all sessions and aborts all of the agent's requests. Called when the agent is gone. */
  close(): void {
    this.#giveUp(() => true);
    for (const sessionId of [...this.#sessions.keys()]) this.forget(sessionId);
  }

  #setupParams({ cwd, additionalDirectories = [], mcpServers = [], members }: SessionSetup): object {
    const takesMore = additionalDirectories.length > 0 && this.initialized.takesAdditionalDirectories;
    return { cwd, mcpServers, ...(takesMore ? { additionalDirectories } : {}), ...members };
  }

  #reopen(
    method: typeof acpMethods.sessionResume | typeof acpMethods.sessionLoad,
    sessionId: string,
    setup: SessionSetup,
    listener: L,
  ): Promise<AgentSession<L>> {
    return this.#whileOpening(async () => {
      // Registers the session first, since its messages may arrive before the response.
      this.#add(sessionId, listener, {});
      try {
        const result = await this.call(method, { sessionId, ...this.#setupParams(setup) });
        return this.#add(sessionId, listener, result);
      } catch (thrown) {
        this.forget(sessionId);
        throw thrown;
      }
    });
  }

  async #whileOpening<T>(open: () => Promise<T>): Promise<T> {
    this.#early.await();
    try {
      return await open();
    } finally {
      for (const { session, update } of this.#early.answered()) this.options.otherUpdate?.(session, update);
      this.#wake();
    }
  }

  /** Registers the session and delivers its early updates to the listener first. */
  #add(sessionId: string, listener: L, opened: Members): AgentSession<L> {
    const session = new AgentSession(this, sessionId, listener, opened);
    this.#sessions.set(sessionId, session);
    for (const update of this.#early.take(sessionId)) this.#update(session, sessionId, update);
    this.#wake();
    return session;
  }

  #known(sessionId: string): AgentSession<L> | undefined {
    return this.#sessions.get(sessionId) ?? this.#sessions.get(this.#aliases.get(sessionId) ?? "");
  }

  #request({ method, params }: Request, reply: Reply): Cancel {
    const controller = new AbortController();
    const sessionId = stringOf(params?.object?.["sessionId"]);
    const answer = (): void => {
      if (sessionId !== undefined && !this.#early.isIdle && !this.#known(sessionId)) this.#waiting.push(answer);
      else void this.#answer({ method, params: params?.object }, sessionId, controller, reply);
    };
    answer();
    return () => controller.abort();
  }

  async #answer(
    call: Pick<AgentCall, "method" | "params">,
    sessionId: string | undefined,
    controller: AbortController,
    reply: Reply,
  ): Promise<void> {
    const { method } = call;
    const { requests = {} } = this.options;
    const handler = Object.hasOwn(requests, method) ? requests[method] : undefined;
    if (!handler) {
      reply(Outcome.error(RpcError.methodNotFound(method)));
      return;
    }
    const session =
      sessionId === undefined
        ? undefined
        : (this.#known(sessionId) ?? this.options.ownerOf?.(sessionId, this.sessions));
    const open: OpenRequest = { method, sessionId: session?.id, askedIn: sessionId, controller };
    this.#requests.add(open);
    const answer = (outcome: Outcome): void => {
      if (this.#requests.delete(open)) reply(outcome);
    };
    try {
      const { signal } = controller;
      const result = handler({ ...call, session, signal, answer: (value) => answer(Outcome.of(value)) });
      answer(Outcome.of((await result) ?? {}));
    } catch (thrown) {
      answer(Outcome.error(this.#errorOf(method, thrown)));
    }
  }

  #errorOf(method: string, thrown: unknown): RpcError {
    if (thrown instanceof RequestFailure) return thrown.error;
    if (thrown instanceof SymposiumError && thrown.code === "cancelled") return RpcError.cancelled();
    if (!(thrown instanceof SymposiumError)) {
      this.#logger.error("a request of the agent failed", { method, reason: messageOf(thrown) });
    }
    return RpcError.internal(messageOf(thrown));
  }

  #notify({ method, params }: Notification): void {
    const members = params?.object;
    const sessionId = stringOf(members?.["sessionId"]);
    const session = sessionId === undefined ? undefined : this.#known(sessionId);
    if (method !== acpMethods.sessionUpdate) {
      const { signal } = new AbortController();
      this.options.notification?.({ method, params: members, session, signal, answer: () => undefined });
      return;
    }
    const update: Unchecked<SessionUpdate> | undefined = asObject(members?.["update"]);
    if (sessionId === undefined || !update) this.#logger.warn("skipped an update without a session or content");
    else if (session) this.#update(session, sessionId, update);
    else if (!this.#early.keeps(sessionId, update, this.#dropped)) this.options.otherUpdate?.(sessionId, update);
  }

  #update(session: AgentSession<L>, sessionId: string, update: Unchecked<SessionUpdate>): void {
    const { listener } = session;
    const child = update.sessionUpdate === "subagent_update" ? stringOf(update.sessionId) : undefined;
    if (child !== undefined && !this.#sessions.has(child)) this.#aliases.set(child, session.id);
    if (sessionId !== session.id && listener.childUpdate) listener.childUpdate(sessionId, update);
    else listener.update(update);
  }

  readonly #dropped = (sessionId: string): void =>
    this.#logger.warn("dropped an update of a session that is not open", { sessionId });

  #giveUp(isMeant: (open: OpenRequest) => boolean): void {
    for (const open of [...this.#requests]) if (isMeant(open)) open.controller.abort();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const answer of waiting) answer();
  }

  get #logger(): Logger {
    return this.options.logger ?? Logger.silent;
  }
}

function idOf(result: Unchecked<NewSessionResponse>): string {
  const sessionId = stringOf(result.sessionId);
  if (sessionId === undefined) throw new AgentRefusal({ message: "The agent opened a session without an id." });
  return sessionId;
}
