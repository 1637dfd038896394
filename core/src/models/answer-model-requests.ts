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
