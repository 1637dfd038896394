import { announcedChild } from "../../base/acp/child-session.js";
import { hasCapability } from "../../base/acp/capabilities.js";
import { EarlyUpdates } from "../../base/acp/early-updates.js";
import { acpMethods } from "../../base/acp/methods.js";
import { SessionAliases } from "../../base/acp/session-aliases.js";
import { sessionIdOf } from "../../base/acp/session-message.js";
import { messageOf } from "../../base/symposium-error.js";
import { withMember, withoutMember } from "../../base/rpc/json-edit.js";
import { Json, stringOf } from "../../base/rpc/json.js";
import { Notification, Outcome, Request } from "../../base/rpc/message.js";
import { ask, type Cancel, nothingToCancel, type Peer, type Reply } from "../../base/rpc/peer.js";
import { RpcError, rpcErrorCodes } from "../../base/rpc/rpc-error.js";
import { continuesPath } from "./continued-session.js";
import type { ConversationStore, WholeConversation } from "./conversation-store.js";
import { isListed, listSupplied } from "./session-list.js";
import { ReplayedUpdates } from "./replayed-updates.js";

interface SuppliedSessionsOptions {
  readonly store: ConversationStore;
  /**
   * Whether to announce the added capabilities to the editor. Known in advance, since the response to `initialize` may be needed
   * immediately.
   */
  readonly isAnnounced: boolean;
  readonly agent: string;
  /** Returns the editor's id for a session. `sessionId` is the id that this component sees. */
  readonly editorIdOf?: ((sessionId: string) => string) | undefined;
  /** Waits for a slow editor and lets other work run; called repeatedly during a long replay. */
  readonly pause: () => Promise<void>;
}

/** ACP methods that an agent may lack, each with the path of its capability and the value to announce. */
const supplied = [
  { method: acpMethods.sessionLoad, path: ["loadSession"], marker: true },
  { method: acpMethods.sessionList, path: ["sessionCapabilities", "list"], marker: {} },
  { method: acpMethods.sessionResume, path: ["sessionCapabilities", "resume"], marker: {} },
  { method: acpMethods.sessionFork, path: ["sessionCapabilities", "fork"], marker: {} },
  { method: acpMethods.sessionDelete, path: ["sessionCapabilities", "delete"], marker: {} },
  { method: acpMethods.sessionClose, path: ["sessionCapabilities", "close"], marker: {} },
] as const;

/** Options for restoring a session without the agent's support. */
interface Return {
  /** Whether to send the history to the editor. */
  readonly replays: boolean;
  /** Whether to continue the conversation in a new session with another id. */
  readonly isFork: boolean;
}

const returns: ReadonlyMap<string, Return> = new Map([
  [acpMethods.sessionLoad, { replays: true, isFork: false }],
  [acpMethods.sessionResume, { replays: false, isFork: false }],
  [acpMethods.sessionFork, { replays: false, isFork: true }],
]);

/** Number of updates from a session that its agent is restoring, and whether to withhold these updates from the editor. */
interface Arrival {
  count: number;
  readonly isWithheld: boolean;
}

/**
 * Adds abilities that a chain's agent lacks, based on stored conversations: lists, loads, resumes, forks and deletes sessions. A restored
 * session is a new session that continues the stored one ({@link continuesPath}). Uses the agent's own abilities first, and stored
 * conversations if the agent fails.
 */
export class SuppliedSessions {
  /** Methods that the agent supports itself. */
  #native: ReadonlySet<string> = new Set(supplied.map(({ method }) => method));
  readonly #aliases = new SessionAliases();
  readonly #arrivals = new Map<string, Arrival>();
  readonly #early = new EarlyUpdates<Notification>();
  /** Ids of sessions that the editor, a response or an announcement has mentioned. */
  readonly #named = new Set<string>();
  #showsChildren = false;
  #client: Peer | undefined;

  constructor(private readonly options: SuppliedSessionsOptions) {}

  /** Wraps `client` for the messages that the chain sends. */
  towardClient(client: Peer): Peer {
    this.#client = client;
    return {
      request: (request, reply) => client.request(this.#aliases.request(request, "toClient"), reply),
      notify: (notification) => {
        if (!this.#isWithheld(notification)) client.notify(this.#aliases.notification(notification, "toClient"));
      },
    };
  }

  /** Wraps `agent`, which is the chain, for the messages that the editor sends. */
  towardAgent(agent: Peer): Peer {
    const inner: Peer = {
      request: (request, reply) =>
        agent.request(this.#aliases.request(request, "toAgent"), (outcome) =>
          reply(this.#aliases.outcome(outcome, "toClient")),
        ),
      notify: (notification) => agent.notify(this.#aliases.notification(notification, "toAgent")),
    };
    return {
      request: (request, reply) => this.#request(inner, agent, request, reply),
      notify: (notification) => inner.notify(notification),
    };
  }

  #request(inner: Peer, agent: Peer, request: Request, reply: Reply): Cancel {
    const { method } = request;
    if (method === acpMethods.initialize) return this.#initialize(inner, request, reply);
    if (method === acpMethods.sessionList) {
      const { store, agent: name, editorIdOf = (id) => id } = this.options;
      return listSupplied(inner, request, reply, {
        store,
        agent: name,
        editorIdOf,
        isNative: this.#native.has(method),
      });
    }
    if (method === acpMethods.sessionDelete) return this.#delete(inner, request, reply);
    if (method === acpMethods.sessionNew) return inner.request(request, (outcome) => this.#opened(outcome, reply));
    const way = returns.get(method);
    return way ? this.#bringBack(inner, agent, request, reply, way) : inner.request(request, reply);
  }

  #initialize(agent: Peer, request: Request, reply: Reply): Cancel {
    this.#showsChildren = hasCapability(request.params?.object?.["clientCapabilities"], "subagents");
    return agent.request(request, (outcome) => reply(this.options.isAnnounced ? this.#announced(outcome) : outcome));
  }

  #announced(outcome: Outcome): Outcome {
    if (outcome.isError) return outcome;
    const capabilities = outcome.json.object?.["agentCapabilities"];
    const missing = supplied.filter(({ path }) => !hasCapability(capabilities, path.join(".")));
    this.#native = new Set(supplied.filter((one) => !missing.includes(one)).map(({ method }) => method));
    const json = missing.reduce(
      (result, { path, marker }) => withMember(result, ["agentCapabilities", ...path], Json.of(marker)),
      outcome.json,
    );
    return missing.length === 0 ? outcome : Outcome.result(json);
  }

  #bringBack(inner: Peer, agent: Peer, request: Request, reply: Reply, way: Return): Cancel {
    const id = sessionIdOf(request.params);
    if (id === undefined) return inner.request(request, reply);
    this.#named.add(id);
    const stop = new AbortController();
    let cancel: Cancel = () => stop.abort();
    const anew = (outcome: Outcome): void => {
      cancel = () => stop.abort();
      void this.#openStandIn(inner, agent, id, request, way, stop.signal).then(
        (opened) => reply(opened ?? outcome),
        (fault: unknown) => reply(outcome.isError ? outcome : Outcome.error(RpcError.internal(messageOf(fault)))),
      );
    };
    const { method } = request;
    const ownId = this.#aliases.agentIdOf(id);
    const agentId = ownId ?? id;
    if (this.#native.has(method)) {
      // Replay from the store, since the agent knows only the last part of a restored session.
      const isShownHere = way.replays && ownId !== undefined;
      const arrival = this.#expect(agentId, isShownHere);
      cancel = inner.request(request, (outcome) => {
        this.#arrivals.delete(agentId);
        if (mayBringBack(outcome) && (isShownHere || arrival.count === 0)) anew(outcome);
        else if (isShownHere && !outcome.isError) this.#answerReplayed(id, request, outcome, reply);
        else if (way.isFork) this.#opened(outcome, reply);
        else reply(outcome);
      });
    } else if (!way.isFork && !way.replays && this.#native.has(acpMethods.sessionLoad)) {
      // To resume the session, load it and drop the replay.
      this.#expect(agentId, true);
      cancel = inner.request(new Request(acpMethods.sessionLoad, request.params), (outcome) => {
        this.#arrivals.delete(agentId);
        if (mayBringBack(outcome)) anew(outcome);
        else reply(outcome);
      });
    } else if (way.replays && this.#native.has(acpMethods.sessionResume)) {
      cancel = inner.request(new Request(acpMethods.sessionResume, request.params), (outcome) => {
        if (mayBringBack(outcome)) anew(outcome);
        else if (outcome.isError) reply(outcome);
        else this.#answerReplayed(id, request, outcome, reply);
      });
    } else anew(Outcome.error(notFound(id)));
    return () => cancel();
  }

  #opened(outcome: Outcome, reply: Reply): void {
    if (!outcome.isError) this.#name(sessionIdOf(outcome.json));
    reply(outcome);
  }

  #expect(id: string, isWithheld: boolean): Arrival {
    const arrival: Arrival = { count: 0, isWithheld };
    this.#arrivals.set(id, arrival);
    return arrival;
  }

  #isWithheld(notification: Notification): boolean {
    const { method, params } = notification;
    if (method !== acpMethods.sessionUpdate) return false;
    // Note the sub-agent's session here, since no response contains its id.
    if (params) this.#name(announcedChild(params));
    if (this.#arrivals.size === 0 && this.#early.isIdle) return false;
    const id = sessionIdOf(params);
    const arrival = this.#arrivals.get(id ?? "");
    if (!arrival) return id !== undefined && !this.#named.has(id) && this.#early.keeps(id, notification);
    arrival.count++;
    return arrival.isWithheld;
  }

  /**
   * Reopens the session in which the agent has already continued the requested one. If that session no longer exists, calls {@link
   * #openAnew}.
   */
  async #openStandIn(
    inner: Peer,
    agent: Peer,
    id: string,
    request: Request,
    way: Return,
    signal: AbortSignal,
  ): Promise<Outcome | undefined> {
    const { store, agent: name } = this.options;
    const method = this.#wayBack();
    const isLost = way.isFork || method === undefined || this.#aliases.agentIdOf(id) !== undefined;
    const conversation = isLost ? undefined : await this.#find(id, request);
    const standIn = conversation && (await store.standIn(name, conversation.session).catch(() => undefined));
    if (method === undefined || !conversation || standIn === undefined)
      return this.#openAnew(agent, id, request, way, signal);
    this.#aliasTo(id, standIn);
    this.#expect(standIn, true);
    const outcome = await ask(inner, new Request(method, request.params), signal);
    this.#arrivals.delete(standIn);
    if (mayBringBack(outcome)) {
      this.#aliases.remove(id);
      return this.#openAnew(agent, id, request, way, signal);
    }
    if (!outcome.isError && way.replays) await this.#replay(id, conversation);
    return outcome;
  }

  #name(session: string | undefined): void {
    if (session !== undefined) this.#named.add(session);
  }

  /** Returns the agent's method for restoring a session, preferably without a replay. */
  #wayBack(): string | undefined {
    return [acpMethods.sessionResume, acpMethods.sessionLoad].find((method) => this.#native.has(method));
  }

  /** Opens a new session that continues a stored one and returns the answer; undefined if the conversation isn't stored. */
  async #openAnew(
    agent: Peer,
    id: string,
    request: Request,
    way: Return,
    signal: AbortSignal,
  ): Promise<Outcome | undefined> {
    const conversation = await this.#find(id, request);
    if (!conversation) return undefined;
    const setup = withoutMember(request.params ?? Json.of({}), ["sessionId"]);
    const params = withMember(setup, [...continuesPath, "conversation"], Json.of(conversation.id));
    let opened: string | undefined;
    this.#early.await();
    const outcome = await ask(
      {
        notify: (notification) => agent.notify(notification),
        request: (asked, reply) =>
          agent.request(asked, (answer) => {
            // Note the session id immediately, since updates of the new session may follow the answer.
            opened = answer.isError ? undefined : sessionIdOf(answer.json);
            if (opened !== undefined && !way.isFork) this.#aliasTo(id, opened);
            reply(answer);
            this.#name(opened);
            const others = this.#early.answered().map(({ update }) => update);
            for (const update of [...this.#early.take(opened), ...others]) {
              this.#client?.notify(this.#aliases.notification(update, "toClient"));
            }
          }),
      },
      new Request(acpMethods.sessionNew, params),
      signal,
    );
    if (opened === undefined) return outcome;
    if (way.isFork) return outcome;
    if (this.#native.has(acpMethods.sessionList) || this.#wayBack()) await this.#hide(opened, conversation.session);
    if (way.replays) await this.#replay(id, conversation);
    return Outcome.result(withoutMember(outcome.json, ["sessionId"]));
  }

  /** Ignores failures: showing an extra session is harmless. */
  async #hide(session: string, standsFor?: string): Promise<void> {
    await this.options.store.hide(this.options.agent, session, standsFor).catch(() => undefined);
  }

  #aliasTo(id: string, opened: string): void {
    this.#aliases.remove(id);
    this.#aliases.add(id, opened);
  }

  /** Replays the session and answers the request, even if the replay fails, since the session is open. */
  #answerReplayed(id: string, request: Request, outcome: Outcome, reply: Reply): void {
    const replayed = this.#find(id, request).then((kept) => kept && this.#replay(id, kept));
    const answer = (): void => reply(outcome);
    replayed.then(answer, answer);
  }

  async #replay(id: string, conversation: WholeConversation): Promise<void> {
    const updates = new ReplayedUpdates(id, this.#showsChildren);
    const send = (params: Json): void => this.#client?.notify(new Notification(acpMethods.sessionUpdate, params));
    for (const window of conversation.windows()) {
      for (const params of updates.of(window)) send(params);
      await this.options.pause();
    }
    for (const params of updates.end()) send(params);
  }

  async #find(id: string, { params }: Request): Promise<WholeConversation | undefined> {
    const { store, agent, editorIdOf } = this.options;
    const cwd = params?.object?.["cwd"];
    const folder = stringOf(cwd);
    return (await store.keeps()) ? store.find(editorIdOf?.(id) ?? id, agent, folder) : undefined;
  }

  /** Deletes a session in the agent. The store deletes its record after success. */
  #delete(agent: Peer, request: Request, reply: Reply): Cancel {
    const id = sessionIdOf(request.params);
    if (id === undefined) return agent.request(request, reply);
    const keptOr = (outcome: Outcome): void => {
      const deleted = this.#find(id, request).then(async (kept) => {
        if (!kept) return outcome;
        // Close the session in the chain, which is harmless if the session isn't open.
        agent.request(Request.of(acpMethods.sessionClose, { sessionId: id }), () => undefined);
        if (this.#native.has(acpMethods.sessionList)) await this.#hide(id);
        return Outcome.of({});
      });
      settle(reply, deleted);
    };
    if (this.#native.has(request.method)) {
      return agent.request(request, (outcome) => {
        if (!mayBringBack(outcome)) reply(outcome);
        else if (!this.#native.has(acpMethods.sessionList)) keptOr(outcome);
        // If the agent still lists the session, deleting has failed.
        else void isListed(agent, id).then((isThere) => (isThere ? reply(outcome) : keptOr(outcome)));
      });
    }
    keptOr(Outcome.error(notFound(id)));
    return nothingToCancel;
  }
}

/**
 * Returns whether to try restoring a session from the store: the agent failed to open it, with an error that wouldn't affect a new session.
 */
function mayBringBack(outcome: Outcome): boolean {
  const code = outcome.isError ? outcome.json.object?.["code"] : undefined;
  return outcome.isError && code !== rpcErrorCodes.authRequired && code !== rpcErrorCodes.requestCancelled;
}

function notFound(id: string): RpcError {
  return new RpcError(
    rpcErrorCodes.notFound,
    `Resource not found: ${id}. The agent doesn't store sessions, and the stored conversations don't include this one.`,
    { sessionId: id },
  );
}

function settle(reply: Reply, outcome: Promise<Outcome>): Cancel {
  outcome.then(reply, (fault: unknown) => reply(Outcome.error(RpcError.internal(messageOf(fault)))));
  return nothingToCancel;
}
