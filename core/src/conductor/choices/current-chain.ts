import { linkedSignal } from "../../base/linked-signal.js";
import { acpMethods } from "../../base/acp/methods.js";
import type { Logger } from "../../base/logger.js";
import { messageOf, SymposiumError } from "../../base/symposium-error.js";
import { whenAborted } from "../../base/until-aborted.js";
import { openedSessionId } from "../chain/session-resources.js";
import type { Json } from "../../base/rpc/json.js";
import { Outcome, Request } from "../../base/rpc/message.js";
import { RpcError } from "../../base/rpc/rpc-error.js";
import type { ConnectionChains } from "./connection-chains.js";
import { type Change, changed, type Choice, isSameChoice } from "./chosen-agent-and-proxies.js";
import { type ChangeEffect, sentence } from "./choice-text.js";
import type { OpenSession } from "./open-session.js";
import type { RunningChain } from "./running-chain.js";
import { errorText, needsSignIn } from "./session-messages.js";

interface CurrentChainOptions {
  readonly chains: ConnectionChains;
  readonly first: RunningChain;
  readonly logger: Logger;
  initializeParams(): Json | undefined;
  sessions(): Iterable<OpenSession>;
  /** Saves the change to the configuration file. */
  save(change: Change): Promise<void>;
  /** Returns the command line that signs in to the agent of `choice`. */
  signInLine(choice: Choice): string;
  onMoved(session: OpenSession): void;
}

/** Maximum time to reopen other sessions in the new chain after a choice has changed. */
const followLimitMs = 30_000;

/**
 * Manages the chain for new sessions and switches it: starts the new chain, reopens the requesting session if it has no prompt yet, then
 * saves the choice. If a step fails, nothing changes. Switches run one at a time; a moving session's messages wait.
 */
export class CurrentChain {
  #chain: RunningChain;
  #choice: Choice;
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: CurrentChainOptions) {
    this.#chain = options.first;
    this.#choice = options.first.choice;
  }

  /** The chain for new sessions; it may have failed. */
  get chain(): RunningChain {
    return this.#chain;
  }

  get choice(): Choice {
    return this.#choice;
  }

  get initializeParams(): Json | undefined {
    return this.options.initializeParams();
  }

  /** Opens new sessions in `other` if `one` is the chain for new sessions. */
  replace(one: RunningChain, other: RunningChain): void {
    if (this.#chain !== one) return;
    this.#chain = other;
    this.#choice = other.choice;
  }

  /**
   * Returns the chain for sessions with `agent`: the chain for new sessions if `agent` matches or is undefined, else a chain with the same
   * proxies. Starts the chain if it isn't running or has failed.
   */
  running(agent: string | undefined, signal: AbortSignal): Promise<RunningChain> {
    return this.#inTurn(async () => {
      const isCurrent = agent === undefined || agent === this.#choice.agent;
      if (isCurrent && !this.#chain.failure) return this.#chain;
      const choice = isCurrent ? this.#choice : { ...this.#choice, agent };
      const chain = await this.options.chains.started(choice, this.initializeParams, signal);
      if (isCurrent) this.#chain = chain;
      return chain;
    });
  }

  /** Moves every session without a prompt to the chain for new sessions. */
  gather(): Promise<void> {
    return this.#inTurn(() => this.#bringOthers());
  }

  /**
   * Adds a sign-in hint to the error of a set-up request. The client knows only the sign-in methods of its first agent, so its own hint
   * would mislead.
   */
  withRemedy(chain: RunningChain, outcome: Outcome): Outcome {
    const remedy = this.#remedy(chain, outcome);
    if (remedy === undefined) return outcome;
    const text = `${sentence(errorText(outcome))} ${remedy}`;
    return Outcome.error(RpcError.internal(text, { details: text }));
  }

  async tidy(): Promise<void> {
    await this.#inTurn(() => this.options.chains.endUnused(this.#chain));
  }

  /**
   * Applies a change that the user of `session` requested. If it fails, rejects and changes nothing. If `isLikely`, messages of a session
   * without a prompt wait for the change.
   */
  async change(session: OpenSession, change: Change, signal: AbortSignal, isLikely = true): Promise<ChangeEffect> {
    const isMade = [this.#choice, session.chain.choice].every((choice) =>
      isSameChoice(changed(choice, change), choice),
    );
    using _hold = session.isFresh && isLikely && !isMade ? session.hold() : undefined;
    const effect = await this.#inTurn(() => this.#make(session, change, signal));
    if (effect !== "same") void this.gather();
    return effect;
  }

  /**
   * Continues the conversation of `session` with `agent`, in a session opened with `opening`. The old session stays open until the first
   * prompt succeeds; if the prompt fails, `onBack` gets the error. Rejects and changes nothing if the new session can't be opened.
   */
  continueIn(
    session: OpenSession,
    agent: string,
    opening: Json,
    signal: AbortSignal,
    onBack: (failure: Outcome) => void,
  ): Promise<void> {
    return this.#inTurn(async () => {
      using _hold = session.hold();
      const { chains } = this.options;
      const choice = { ...session.chain.choice, agent };
      const chain = await chains.started(choice, this.initializeParams, signal);
      let agentId: string;
      try {
        agentId = await this.#openIn(chain, session, signal, opening);
      } catch (fault) {
        chains.endUnused(this.#chain);
        throw fault;
      }
      chain.unclaimed.delete(agentId);
      session.tryIn(chain, agentId, (failure) => {
        if (failure) onBack(failure);
        this.options.onMoved(session);
        void this.tidy();
      });
      this.options.onMoved(session);
    });
  }

  #inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #make(session: OpenSession, change: Change, signal: AbortSignal): Promise<ChangeEffect> {
    const choice = changed(this.#choice, change);
    const isSaved = isSameChoice(choice, this.#choice);
    if (isSaved && isSameChoice(choice, session.chain.choice)) return "same";
    const { chains } = this.options;
    const chain = await chains.started(choice, this.initializeParams, signal);
    using _hold = session.isFresh ? session.hold() : undefined;
    const mayMove = session.isFresh && session.chain !== chain;
    let agentId: string | undefined;
    try {
      if (mayMove) agentId = await this.#openIn(chain, session, signal);
      if (signal.aborted) throw new SymposiumError("cancelled", "It was stopped.");
      if (!isSaved) await this.options.save(change);
    } catch (fault) {
      if (agentId !== undefined) chain.abandon(agentId);
      chains.endUnused(this.#chain);
      throw fault;
    }
    this.#chain = chain;
    this.#choice = choice;
    if (agentId !== undefined) this.#move(session, chain, agentId);
    chains.endUnused(chain);
    return session.chain === chain ? "moved" : "stays";
  }

  /** Moves every session without a prompt to the chosen chain. A session that can't move stays in its chain. */
  async #bringOthers(): Promise<void> {
    const chain = this.#chain;
    // The time limit is needed because these sessions' messages and the next change wait until all sessions have moved.
    using limit = linkedSignal([], followLimitMs);
    const others = [...this.options.sessions()].filter((session) => session.isFresh && session.chain !== chain);
    await Promise.all(
      others.map(async (session) => {
        using _hold = session.hold();
        try {
          const agentId = await this.#openIn(chain, session, limit.signal);
          this.#move(session, chain, agentId);
        } catch (fault) {
          // The error's hint is omitted, because its sign-in command line may contain values from the agent's environment.
          const message = fault instanceof SymposiumError ? fault.message : messageOf(fault);
          this.options.logger.warn("couldn't move a session to the new agent", { message });
        }
      }),
    );
    this.options.chains.endUnused(chain);
  }

  /** Reopens the session in `chain` with its original parameters and returns the id that the agent assigned. */
  async #openIn(
    chain: RunningChain,
    session: OpenSession,
    signal: AbortSignal,
    opening = session.opening,
  ): Promise<string> {
    const request = new Request(acpMethods.sessionNew, opening);
    const outcome = await new Promise<Outcome>((resolve, reject) => {
      const cancel = chain.requestApart(request, (answer) => {
        const agentId = openedSessionId(request, answer);
        if (agentId !== undefined && signal.aborted) chain.abandon(agentId);
        else if (agentId !== undefined) {
          chain.unclaimed.add(agentId);
          chain.offersOf(agentId).open(answer.json);
        }
        resolve(answer);
      });
      const giveUp = (): void => {
        cancel();
        reject(new SymposiumError("cancelled", "It was stopped."));
      };
      whenAborted(signal, giveUp);
    });
    const agentId = openedSessionId(request, outcome);
    if (agentId !== undefined) return agentId;
    throw new SymposiumError("component-start-failed", sentence(errorText(outcome)), this.#remedy(chain, outcome));
  }

  #remedy(chain: RunningChain, outcome: Outcome): string | undefined {
    if (!needsSignIn(outcome)) return undefined;
    return `Sign in with \`${this.options.signInLine(chain.choice)}\` in a terminal, then try again.`;
  }

  #move(session: OpenSession, chain: RunningChain, agentId: string): void {
    chain.unclaimed.delete(agentId);
    session.moveTo(chain, agentId);
    this.options.onMoved(session);
  }
}
