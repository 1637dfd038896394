import type { Logger } from "../base/logger.js";
import { messageOf } from "../base/symposium-error.js";
import { AgentChains } from "../model/agent-chains.js";
import { historyDigest } from "../model/history-digest.js";
import { isDoneWithin, untilAborted } from "../base/until-aborted.js";
import { answerIn, resumeIn } from "./answer.js";
import type { Asking, LmListener } from "./asking.js";
import { chainKey, type ChainOpener } from "./chain-opener.js";
import { ChatSession, offeredTools } from "./chat-session.js";
import { askedModels, learntFrom, ModelMemory } from "./model-memory.js";
import { furtherBlocks, openingBlocks } from "./prompt-blocks.js";
import type { AgentStart } from "./read-agent-definition.js";
import type { InformationRequest, ResponseRequest } from "./read-params.js";
import { type Route, routeOf } from "./route.js";
import { SessionCache } from "./session-cache.js";
import type { InformationResult, ResponseResult } from "./wire.js";

export interface LmServiceOptions {
  readonly opener: ChainOpener;
  /** The working folder of sessions whose editor has none; absolute. */
  readonly emptyFolder: string;
  readonly version: string;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** How long after the latest request it is looked for sessions and agents that nobody uses. */
const sweepMs = 61 * 60_000;
/** How long an agent without sessions is kept for whoever asks next. */
const idleAgentMs = 30 * 60_000;
/** How many requests that failed are remembered. */
const mostFailed = 32;
/** How long a request that was given up may take to leave its session in order. */
const settleMs = 200;

/** Agents as language models of an editor: finds the session that each request goes on in, and tells its answer. */
export class LmService implements AsyncDisposable {
  readonly #chains: AgentChains;
  readonly #cache: SessionCache;
  readonly #memory = new ModelMemory();
  /** The agents that are being asked for their models. */
  readonly #learning = new Map<string, Promise<void>>();
  /** The latest requests that came to nothing. */
  readonly #failed: { readonly length: number; readonly digest: number }[] = [];
  #sweep: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: LmServiceOptions) {
    const { version, now } = options;
    this.#cache = new SessionCache(now, (connection) => void this.#chains.release(connection));
    this.#chains = new AgentChains({
      clientInfo: { name: "symposium-vscodelm", title: "Symposium", version },
      onFailure: (connection) => this.#cache.forget(connection),
      now,
    });
  }

  /** The models that the agents make; a silent request starts nothing. Agents that fail are told of beside the others. */
  async information({ agents, isSilent, folder }: InformationRequest): Promise<InformationResult> {
    this.#sweepLater();
    const problems: { agentId: string; message: string }[] = [];
    const models = await Promise.all(
      agents.map(async (agent) => {
        try {
          if (!isSilent) await this.#learn(agent.agent, folder);
        } catch (failure) {
          problems.push({ agentId: agent.id, message: messageOf(failure) });
        }
        return this.#memory.models(agent, chainKey(agent.agent, false));
      }),
    );
    return { models: models.flat(), ...(problems.length > 0 && { problems }) };
  }

  /**
   * Tells the answer to a request until it ends, calls tools of the editor or asks for a permission by one. When `signal`
   * is aborted, the agent is told to stop and the answer ends at once. Rejects with what the agent fails with.
   */
  async answer(request: ResponseRequest, listener: LmListener, signal: AbortSignal): Promise<ResponseResult> {
    this.#sweepLater();
    this.#cache.expire();
    const { messages, conversationId, initiator } = request;
    const history = { messages, digest: historyDigest(messages) };
    const route = routeOf<ChatSession>(
      {
        home: this.#home(request),
        conversationId,
        initiator,
        offersTools: offeredTools(request).length > 0,
        bringsTools: request.tools.length > 0,
        history,
      },
      this.#cache.living,
    );
    this.options.logger.debug("a request is routed", { route: route.kind, messages: messages.length });
    // Before anything is waited for: no other request may take the session.
    if (route.kind !== "begin" && route.kind !== "fork") route.session.isTaken = true;
    const following = this.#follow(route, { request, history, listener, signal });
    try {
      return await untilAborted(following, signal);
    } catch (failure) {
      if (!signal.aborted) throw failure;
      // What is told stops at once; the session is free again before the editor can ask for more.
      await isDoneWithin(following, settleMs);
      return { stopReason: "cancelled" };
    } finally {
      // Not before: the agent that is asked may be one of them.
      void this.#chains.endIdle(idleAgentMs);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#sweep);
    await this.#chains[Symbol.asyncDispose]();
  }

  /** Asks an agent for its models, unless they are known; whoever wants them meanwhile waits for the same answer. */
  #learn(agent: AgentStart, folder = this.options.emptyFolder): Promise<void> {
    const key = chainKey(agent, false);
    const ask = async (): Promise<void> => {
      const connection = await this.#chains.connect(key, this.options.opener(agent, false));
      if (!this.#memory.knows(key, connection.traits)) {
        this.#memory.learn(key, await askedModels(connection, folder));
      }
    };
    const learning = this.#learning.get(key) ?? ask().finally(() => this.#learning.delete(key));
    this.#learning.set(key, learning);
    return learning;
  }

  async #follow(route: Route<ChatSession>, asking: Asking): Promise<ResponseResult> {
    switch (route.kind) {
      case "resume":
        return this.#during(route.session, asking, async () => {
          const result = await resumeIn(route.session, route.trailing, asking);
          return result ?? (await this.#begin(asking, route.session));
        });
      case "go-on":
        return this.#goOn(route.session, route.from, asking);
      case "reject":
        // What comes from there on tells such words again, or no more.
        if (route.from < route.session.history.lastRequest.length) route.session.owed = [];
        return (await route.session.abandon())
          ? this.#goOn(route.session, route.from, asking)
          : this.#begin(asking, route.session);
      case "fork": {
        const { canFork, sharesServers } = route.session.connection.traits;
        if (!canFork || sharesServers) return this.#begin(asking);
        // An agent that does not fork after all is told the conversation anew; what else is wrong shows there.
        const fork = await this.#open(asking.request, route.session).catch(() => undefined);
        return fork ? this.#goOn(fork, route.from, asking) : this.#begin(asking);
      }
      case "begin":
        return this.#begin(asking, route.replaced, route.isAside);
    }
  }

  /** A new session, which is told what was said before; the one that it replaces is closed. */
  async #begin(asking: Asking, replaced?: ChatSession, isAside = false): Promise<ResponseResult> {
    if (replaced) this.#cache.drop(replaced);
    const session = await this.#open(asking.request);
    session.isAside = isAside;
    const { messages, digest } = asking.history;
    const failed = this.#failed.findLast(
      ({ length, digest: known }) => length < messages.length && digest[length] === known,
    );
    const content = openingBlocks(messages, session.connection.traits.takesImages, failed?.length);
    return this.#during(session, asking, () => answerIn(session, content, asking));
  }

  /** A session that knows what is before `from`. */
  #goOn(session: ChatSession, from: number, asking: Asking): Promise<ResponseResult> {
    const messages = asking.history.messages.slice(from);
    const content = furtherBlocks(messages, session.connection.traits.takesImages);
    return this.#during(session, asking, () => answerIn(session, content, asking));
  }

  /** The session is nobody else's while it answers; after a failure nobody's at all. */
  async #during(
    session: ChatSession,
    { request }: Asking,
    answer: () => Promise<ResponseResult>,
  ): Promise<ResponseResult> {
    try {
      return await answer();
    } catch (failure) {
      this.#cache.drop(session);
      this.#failed.push(session.history.lastRequest);
      if (this.#failed.length > mostFailed) this.#failed.shift();
      throw failure;
    } finally {
      this.#cache.release(session);
      const key = chainKey(request.agent, false);
      if (session.contextUse) this.#memory.noteContext(key, request.configOptions, session.contextUse.size);
    }
  }

  async #open(request: ResponseRequest, forked?: ChatSession): Promise<ChatSession> {
    const { version, logger, emptyFolder, opener } = this.options;
    const isRaw = request.exposure === "raw";
    const open = opener(request.agent, isRaw);
    const connection = await this.#chains.lease(chainKey(request.agent, isRaw), open);
    const cwd = request.folder ?? emptyFolder;
    const options = { connection, home: this.#home(request), cwd, version, logger };
    try {
      const session = await ChatSession.open(options, request, forked);
      this.#cache.add(session);
      const key = chainKey(request.agent, false);
      if (!forked && !this.#memory.knows(key, connection.traits)) {
        this.#memory.learn(key, learntFrom(connection, session.openingResult));
      }
      return session;
    } catch (failure) {
      // It may hang, and many look only when they start whether somebody has signed in.
      void this.#chains.release(connection, true);
      throw failure;
    }
  }

  /** What a session cannot change. */
  #home({ agent, exposure, folder }: ResponseRequest): string {
    return JSON.stringify([chainKey(agent, exposure === "raw"), exposure, folder ?? ""]);
  }

  /** Agents take memory: what nobody asks any more is ended. */
  #sweepLater(): void {
    clearTimeout(this.#sweep);
    this.#sweep = setTimeout(() => {
      this.#cache.expire();
      void this.#chains.endIdle();
      this.#sweepLater();
    }, sweepMs);
    this.#sweep.unref?.();
  }
}
