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
  /** Whether the editor hears that all this can be done; known beforehand, since an answer may be wanted at once. */
  readonly isAnnounced: boolean;
  /** The name by which conversations with the agent are kept. */
  readonly agent: string;
  /** What the editor calls a session that has this id here. */
  readonly editorIdOf?: ((sessionId: string) => string) | undefined;
  /** Lets others have their turn amid a long replay, and an editor that reads slowly the time for what it was sent. */
  readonly pause: () => Promise<void>;
}

/** What an agent may lack, where that stands in its capabilities, and how it is announced. */
const supplied = [
  { method: acpMethods.sessionLoad, path: ["loadSession"], marker: true },
  { method: acpMethods.sessionList, path: ["sessionCapabilities", "list"], marker: {} },
  { method: acpMethods.sessionResume, path: ["sessionCapabilities", "resume"], marker: {} },
  { method: acpMethods.sessionFork, path: ["sessionCapabilities", "fork"], marker: {} },
  { method: acpMethods.sessionDelete, path: ["sessionCapabilities", "delete"], marker: {} },
  { method: acpMethods.sessionClose, path: ["sessionCapabilities", "close"], marker: {} },
] as const;

/** How a session comes back whose agent cannot bring it back. */
interface Return {
  /** What was said is sent to the editor. */
  readonly replays: boolean;
  /** It goes on as another session. */
  readonly isFork: boolean;
}

const returns: ReadonlyMap<string, Return> = new Map([
  [acpMethods.sessionLoad, { replays: true, isFork: false }],
  [acpMethods.sessionResume, { replays: false, isFork: false }],
  [acpMethods.sessionFork, { replays: false, isFork: true }],
]);

/** Updates of a session that its agent brings back: how many came, and whether the editor does not want them. */
interface Arrival {
  count: number;
  readonly isWithheld: boolean;
}

/**
 * Stands between an editor and a chain and does, from what is kept, what the chain's agent cannot: lists, loads, resumes,
 * forks and deletes sessions. One that is brought back so is a new session of the agent, which goes on with the kept one
 * ({@link continuesPath}). What the agent can do by itself passes as it is; only where that fails for a conversation that is
 * kept, it is brought back so as well.
 */
export class SuppliedSessions {
  /** Methods that the agent has by itself. */
  #native: ReadonlySet<string> = new Set(supplied.map(({ method }) => method));
  readonly #aliases = new SessionAliases();
  readonly #arrivals = new Map<string, Arrival>();
  readonly #early = new EarlyUpdates<Notification>();
  /** Sessions that the editor, an answer or an announcement has named. */
  readonly #named = new Set<string>();
  /** The editor shows what sub-agents do in sessions of their own. */
  #showsChildren = false;
  #client: Peer | undefined;

  constructor(private readonly options: SuppliedSessionsOptions) {}

  /** `client`, as the chain calls it. */
  towardClient(client: Peer): Peer {
    this.#client = client;
    return {
      request: (request, reply) => client.request(this.#aliases.request(request, "toClient"), reply),
      notify: (notification) => {
        if (!this.#isWithheld(notification)) client.notify(this.#aliases.notification(notification, "toClient"));
      },
    };
  }

  /** `agent`, the chain, as the editor calls it. */
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
      // Of a session that was brought back the agent remembers the end alone; all of it is kept.
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
      // Who can load a session can resume it: what is replayed goes nowhere.
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
    // No answer names a sub-agent's session.
    if (params) this.#name(announcedChild(params));
    if (this.#arrivals.size === 0 && this.#early.isIdle) return false;
    const id = sessionIdOf(params);
    const arrival = this.#arrivals.get(id ?? "");
    if (!arrival) return id !== undefined && !this.#named.has(id) && this.#early.keeps(id, notification);
    arrival.count++;
    return arrival.isWithheld;
  }

  /** As {@link #openAnew}, but in the session in which the agent has gone on with it before, where it still has that. */
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

  /** How the agent brings back what it has, without showing it where that can be. */
  #wayBack(): string | undefined {
    return [acpMethods.sessionResume, acpMethods.sessionLoad].find((method) => this.#native.has(method));
  }

  /** The answer of a new session of the agent that stands for a kept one; undefined where nothing is kept of it. */
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
            // At once: updates of the new session may follow on its answer.
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

  /** A list that shows too much is no reason to fail. */
  async #hide(session: string, standsFor?: string): Promise<void> {
    await this.options.store.hide(this.options.agent, session, standsFor).catch(() => undefined);
  }

  #aliasTo(id: string, opened: string): void {
    this.#aliases.remove(id);
    this.#aliases.add(id, opened);
  }

  /** The session is open, whatever of it cannot be read. */
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

  /** What is kept is deleted by whoever keeps it, once this has succeeded. */
  #delete(agent: Peer, request: Request, reply: Reply): Cancel {
    const id = sessionIdOf(request.params);
    if (id === undefined) return agent.request(request, reply);
    const keptOr = (outcome: Outcome): void => {
      const deleted = this.#find(id, request).then(async (kept) => {
        if (!kept) return outcome;
        // The chain closes each session; one that is not open knows nothing of it.
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
        // Who still has it did not delete it, whatever becomes of what is kept.
        else void isListed(agent, id).then((isThere) => (isThere ? reply(outcome) : keptOr(outcome)));
      });
    }
    keptOr(Outcome.error(notFound(id)));
    return nothingToCancel;
  }
}

/** Whether the agent could not bring a session back for a reason that a new one does not have, too. */
function mayBringBack(outcome: Outcome): boolean {
  const code = outcome.isError ? outcome.json.object?.["code"] : undefined;
  return outcome.isError && code !== rpcErrorCodes.authRequired && code !== rpcErrorCodes.requestCancelled;
}

function notFound(id: string): RpcError {
  return new RpcError(
    rpcErrorCodes.notFound,
    `Resource not found: ${id}. The agent keeps no sessions, and nothing of this one is in the kept conversations.`,
    { sessionId: id },
  );
}

function settle(reply: Reply, outcome: Promise<Outcome>): Cancel {
  outcome.then(reply, (fault: unknown) => reply(Outcome.error(RpcError.internal(messageOf(fault)))));
  return nothingToCancel;
}
