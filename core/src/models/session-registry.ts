import { Logger } from "../base/logger.js";
import { isDoneWithin, untilAborted } from "../base/until-aborted.js";
import { AgentPool } from "../conductor/client/agent-pool.js";
import { AgentConnection, ModelFailure, type OpenAgent, type QuirksOf } from "./agent-connection.js";
import type { ModelAnswer, ModelListener, ModelRequest } from "./model-request.js";
import { type ModelClient, ModelSession } from "./model-session.js";
import { furtherBlocks, openingBlocks } from "./prompt-blocks.js";
import { answerCallsIn, type AnsweredRequest, promptIn, refuseImages } from "./session-answer.js";
import { SessionCache, type SessionCacheOptions } from "./session-cache.js";
import { historyDigest } from "./session-history.js";
import { matchSession, type SessionMatch } from "./session-match.js";

interface SessionRegistryOptions extends SessionCacheOptions {
  readonly client: ModelClient;
  /** Whether a session is closed whose answer was given up; else its conversation may go on in it. */
  readonly closesCancelled: boolean;
  readonly quirksOf: QuirksOf;
  readonly logger?: Logger;
}

/** How long an agent without sessions is kept for whoever asks next. */
const idleAgentMs = 30 * 60_000;
/** How many requests that failed are remembered. */
const mostFailed = 32;
/** How long a request that was given up may take to leave its session in order. */
const settleMs = 200;

/**
 * Agents as language models: finds the session that each request goes on in, by what the client's history has of it, or
 * opens one; and emits its answer. Every wire on which clients ask is a codec of this.
 */
export class SessionRegistry implements AsyncDisposable {
  readonly #agents: AgentPool<AgentConnection>;
  readonly #cache: SessionCache;
  /** The latest requests that failed. */
  readonly #failed: { readonly length: number; readonly digest: number }[] = [];
  readonly #logger: Logger;
  #sweep: ReturnType<typeof setTimeout> | undefined;
  #isDisposed = false;

  constructor(private readonly options: SessionRegistryOptions) {
    this.#logger = options.logger ?? Logger.silent;
    this.#cache = new SessionCache(options);
    this.#agents = new AgentPool({ now: options.now, isExclusive: ({ traits }) => traits.sharesServers });
  }

  /** A connection to the agent, for questions that are no request. Rejects with a `ModelFailure`. */
  connect({ key, open }: ModelRequest["agent"]): Promise<AgentConnection> {
    this.#sweepLater();
    return this.#agents.connect(key, this.#start(open));
  }

  /**
   * Emits the answer to a request until it ends, calls tools of the client or asks for a permission by one. When `signal`
   * is aborted, the agent is asked to stop and the answer ends at once, as `cancelled`. Rejects with what the agent fails
   * with.
   */
  async answer(request: ModelRequest, listener: ModelListener, signal: AbortSignal): Promise<ModelAnswer> {
    this.#sweepLater();
    this.#cache.expire(1);
    const { messages } = request;
    const history = { messages, digest: historyDigest(messages) };
    const match = matchSession(request, history, this.#cache.living);
    this.#logger.debug("a request is matched", { match: match.kind, messages: messages.length });
    // Before anything is waited for: no other request may take the session.
    if (match.kind !== "open" && match.kind !== "fork") match.session.isTaken = true;
    const answering = this.#follow(match, { request, history, listener, signal });
    try {
      return await untilAborted(answering, signal);
    } catch (failure) {
      if (!signal.aborted) throw failure;
      // What is emitted stops at once; the session is free again before the client can ask for more.
      await isDoneWithin(answering, settleMs);
      return { stopReason: "cancelled" };
    } finally {
      // Not before: the agent that is asked may be one of them.
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
        // What comes from there on repeats such words, or leaves them out.
        if (match.from < match.session.history.lastRequest.length) match.session.owed = [];
        return (await match.session.abandon())
          ? this.#goOn(match.session, match.from, asked)
          : this.#begin(asked, match.session);
      case "fork": {
        const { canFork, sharesServers } = match.session.connection.traits;
        if (!canFork || sharesServers) return this.#begin(asked);
        // An agent that does not fork after all gets the conversation in words; what else is wrong shows there.
        const fork = await this.#open(asked, match.session).catch(() => undefined);
        return fork ? this.#goOn(fork, match.from, asked) : this.#begin(asked);
      }
      case "open":
        return this.#begin(asked, match.replaced, match.isAside);
    }
  }

  /** A new session, which gets what was said before in words; the one that it replaces is closed. */
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

  /** A session that knows what is before `from`. */
  #goOn(session: ModelSession, from: number, asked: AnsweredRequest): Promise<ModelAnswer> {
    const messages = asked.history.messages.slice(from);
    const content = furtherBlocks(messages, session.connection.traits.takesImages);
    return this.#during(session, () => promptIn(session, content, asked));
  }

  /** The session is nobody else's while it answers; after a failure nobody's at all. */
  async #during(session: ModelSession, answer: () => Promise<ModelAnswer>): Promise<ModelAnswer> {
    try {
      const answered = await answer();
      const { stopReason } = answered;
      // After a stop sequence the agent has said more than the client knows.
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
      // It may hang, and many look only when they start whether somebody has signed in.
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

  /** Agents take memory: what nobody asks any more is ended, also when no request comes. */
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

/** Whether the agent was not even asked. */
function isRefusal(failure: unknown): boolean {
  return failure instanceof ModelFailure && failure.code === "takes-no-images";
}
