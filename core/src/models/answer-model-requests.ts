import { Logger } from "../base/logger.js";
import { isDoneWithin, untilAborted } from "../base/until-aborted.js";
import { AgentPool } from "../conductor/client/agent-pool.js";
import { AgentConnection, ModelFailure, type OpenAgent, type QuirksOf } from "./agent-connection.js";
import type { ModelAnswer, ModelListener, ModelRequest } from "./model-request.js";
import { type ModelClient, ModelSession } from "./model-session.js";
import { furtherBlocks, openingBlocks } from "./prompt-blocks.js";
import { answerCallsIn, type AnsweredRequest, promptIn, refuseImages } from "./session-answer.js";
import { historyDigest } from "./session-history.js";
import { matchSession, type SessionMatch } from "./session-match.js";

interface SessionRegistryOptions extends SessionCacheOptions {
  readonly client: ModelClient;
  /** Whether to close a session after a cancelled answer instead of continuing it. */
  readonly closesCancelled: boolean;
  readonly quirksOf: QuirksOf;
  readonly logger?: Logger;
}

/** Milliseconds that an agent without sessions remains available. */
const idleAgentMs = 30 * 60_000;
const mostFailed = 32;
/** Milliseconds that a cancelled request has to settle its session. */
const settleMs = 200;

/**
 * Uses agents as language models: finds or opens a session for each request by its history, and emits the answer. Each wire protocol has a
 * codec for it.
 */
export class SessionRegistry implements AsyncDisposable {
  readonly #agents: AgentPool<AgentConnection>;
  readonly #cache: SessionCache;
  readonly #failed: { readonly length: number; readonly digest: number }[] = [];
  readonly #logger: Logger;
  #sweep: ReturnType<typeof setTimeout> | undefined;
  #isDisposed = false;

  constructor(private readonly options: SessionRegistryOptions) {
    this.#logger = options.logger ?? Logger.silent;
    this.#cache = new SessionCache(options);
    this.#agents = new AgentPool({ now: options.now, isExclusive: ({ traits }) => traits.sharesServers });
  }

  /** Connects to an agent for questions outside a request. Rejects with a `ModelFailure`. */
  connect({ key, open }: ModelRequest["agent"]): Promise<AgentConnection> {
    this.#sweepLater();
    return this.#agents.connect(key, this.#start(open));
  }

  /**
   * Emits the answer until its end, or until it calls the client's tools. When `signal` aborts, stops the agent and returns `cancelled`
   * immediately. Rejects with the agent's failure.
   */
  async answer(request: ModelRequest, listener: ModelListener, signal: AbortSignal): Promise<ModelAnswer> {
    this.#sweepLater();
    this.#cache.expire(1);
    const { messages } = request;
    const history = { messages, digest: historyDigest(messages) };
    const match = matchSession(request, history, this.#cache.living);
    this.#logger.debug("a request is matched", { match: match.kind, messages: messages.length });
    // Claim the session before the first await, so that no other request takes it.
    if (match.kind !== "open" && match.kind !== "fork") match.session.isTaken = true;
    const answering = this.#follow(match, { request, history, listener, signal });
    try {
      return await untilAborted(answering, signal);
    } catch (failure) {
      if (!signal.aborted) throw failure;
      // Output stops immediately; settle the session before the client can send another request.
      await isDoneWithin(answering, settleMs);
      return { stopReason: "cancelled" };
    } finally {
      // End idle agents only now: ending them earlier could end the agent that the request needs.
      void this.#agents.endIdle(idleAgentMs);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    clearTimeout(this.#sweep);
    await this.#agents[Symbol.asyncDispose]();
  }

  async #follow(match: SessionMatch, asked: AnsweredRequest): Promise<ModelAnswer> {
    switch (match.kind) {
      case "resume":
        return this.#during(match.session, async () => {
          const answer = await answerCallsIn(match.session, match.trailing, asked);
          return answer ?? (await this.#begin(asked, match.session));
        });
      case "continue":
        return this.#goOn(match.session, match.from, asked);
      case "abandon":
        // Discard the owed texts, since the messages that follow repeat or omit them.
        if (match.from < match.session.history.lastRequest.length) match.session.owed = [];
        return (await match.session.abandon())
          ? this.#goOn(match.session, match.from, asked)
          : this.#begin(asked, match.session);
      case "fork": {
        const { canFork, sharesServers } = match.session.connection.traits;
        if (!canFork || sharesServers) return this.#begin(asked);
        // If forking fails, open a session with a transcript; errors other than from forking then occur again and are reported.
        const fork = await this.#open(asked, match.session).catch(() => undefined);
        return fork ? this.#goOn(fork, match.from, asked) : this.#begin(asked);
      }
      case "open":
        return this.#begin(asked, match.replaced, match.isAside);
    }
  }

  /** Opens a session with a transcript of the history and closes the replaced one. */
  async #begin(asked: AnsweredRequest, replaced?: ModelSession, isAside = false): Promise<ModelAnswer> {
    if (replaced) this.#cache.drop(replaced);
    const session = await this.#open(asked);
    session.isAside = isAside;
    const { messages, digest } = asked.history;
    const failed = this.#failed.findLast(
      ({ length, digest: known }) => length < messages.length && digest[length] === known,
    );
    const content = openingBlocks(messages, session.connection.traits.takesImages, failed?.length);
    return this.#during(session, () => promptIn(session, content, asked));
  }

  #goOn(session: ModelSession, from: number, asked: AnsweredRequest): Promise<ModelAnswer> {
    const messages = asked.history.messages.slice(from);
    const content = furtherBlocks(messages, session.connection.traits.takesImages);
    return this.#during(session, () => promptIn(session, content, asked));
  }

  /** Releases the session after its answer, or drops it after a failure. */
  async #during(session: ModelSession, answer: () => Promise<ModelAnswer>): Promise<ModelAnswer> {
    try {
      const answered = await answer();
      const { stopReason } = answered;
      // After a stop sequence, the agent has said more than the client received.
      const isOver = stopReason === "stop_sequence" || (stopReason === "cancelled" && this.options.closesCancelled);
      if (isOver) this.#cache.drop(session);
      return answered;
    } catch (failure) {
      if (isRefusal(failure)) throw failure;
      this.#cache.drop(session);
      this.#failed.push(session.history.lastRequest);
      if (this.#failed.length > mostFailed) this.#failed.shift();
      throw failure;
    } finally {
      this.#cache.release(session);
    }
  }

  async #open({ request, listener }: AnsweredRequest, forked?: ModelSession): Promise<ModelSession> {
    const { client } = this.options;
    const { key, open } = request.agent;
    const lease = this.#agents.lease(key, this.#start(open));
    try {
      const connection = await lease.connect();
      refuseImages(request, connection);
      const options = { connection, lease, client, logger: this.#logger };
      const session = await ModelSession.open(options, request, forked);
      this.#cache.add(session);
      if (!forked) listener.onOpened?.(connection, session.openingResult);
      return session;
    } catch (failure) {
      // End the agent: it may hang, and many agents check the sign-in only at start.
      void lease.release(!isRefusal(failure));
      throw failure;
    }
  }

  #start(open: OpenAgent): () => AgentConnection {
    const { client, quirksOf } = this.options;
    const { name, version } = client;
    return () => {
      const connection = new AgentConnection({ open, quirksOf, clientInfo: { name, title: "Symposium", version } });
      void connection.ended.then((failure) => {
        if (failure) this.#cache.forget(connection);
      });
      return connection;
    };
  }

  /** Ends unused agents even without requests, to free memory. */
  #sweepLater(): void {
    clearTimeout(this.#sweep);
    if (this.#isDisposed) return;
    this.#sweep = setTimeout(() => {
      this.#cache.expire();
      void this.#agents.endIdle();
      this.#sweepLater();
    }, this.options.idleMs + 60_000);
    this.#sweep.unref?.();
  }
}

/** Returns whether the request failed before reaching the agent. */
function isRefusal(failure: unknown): boolean {
  return failure instanceof ModelFailure && failure.code === "takes-no-images";
}

/** Maximum number of sessions for conversations, and of sessions outside any conversation. */
const mostSessions = 32;
const mostAside = 4;
/** Maximum number of sessions with their own process. */
const mostAlone = 4;

interface SessionCacheOptions {
  /** Maximum number of idle sessions without a pending result, since many agents run a process per session. */
  readonly mostIdle?: number;
  /** Milliseconds that an unused session stays open. */
  readonly idleMs: number;
  /** Milliseconds that a session waits for a result; a person may be thinking. */
  readonly awaitingMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Sessions that requests can continue; limited in number and closed when unused. */
class SessionCache {
  readonly #sessions = new Set<ModelSession>();

  constructor(private readonly options: SessionCacheOptions) {}

  get living(): readonly ModelSession[] {
    return [...this.#sessions].filter(({ connection }) => !connection.hasFailed);
  }

  add(session: ModelSession): void {
    session.usedAt = this.options.now();
    this.#sessions.add(session);
  }

  release(session: ModelSession): void {
    session.isTaken = false;
    session.askUser = undefined;
    session.usedAt = this.options.now();
    if (session.isAside && session.phase === "idle" && isAlone(session)) this.drop(session);
    this.expire();
  }

  drop(session: ModelSession): void {
    if (!this.#sessions.delete(session)) return;
    void session.close();
  }

  forget(connection: AgentConnection): void {
    for (const session of this.#sessions) {
      if (session.connection !== connection) continue;
      this.#sessions.delete(session);
      void session.release();
    }
  }

  /** Closes expired and excess sessions, assuming that `more` sessions will be added. Closes sessions with a pending result last. */
  expire(more = 0): void {
    const { now, idleMs, awaitingMs, mostIdle = mostSessions } = this.options;
    const isKept = (session: ModelSession): boolean => this.#sessions.has(session);
    const free = [...this.#sessions].filter(({ isTaken }) => !isTaken).sort(byUse);
    for (const session of free) {
      const limitMs = session.phase === "idle" ? idleMs : awaitingMs;
      if (session.usedAt < now() - limitMs) this.drop(session);
    }
    const aside = free.filter((session) => session.isAside && isKept(session));
    this.#dropFirst(aside, aside.length - mostAside);
    const alone = free.filter((session) => isAlone(session) && isKept(session));
    this.#dropFirst(alone, alone.length - mostAlone);
    const idle = free.filter((session) => session.phase === "idle" && isKept(session));
    this.#dropFirst(idle, idle.length - mostIdle);
    this.#dropFirst(free.filter(isKept), this.#sessions.size - mostSessions + more);
  }

  #dropFirst(sessions: readonly ModelSession[], count: number): void {
    for (const session of sessions.slice(0, Math.max(0, count))) this.drop(session);
  }
}

function isAlone({ connection }: ModelSession): boolean {
  return connection.traits.sharesServers;
}

function byUse(one: ModelSession, other: ModelSession): number {
  return Number(one.phase !== "idle") - Number(other.phase !== "idle") || one.usedAt - other.usedAt;
}
