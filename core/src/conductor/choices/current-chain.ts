import { acpMethods } from "../../base/acp/methods.js";
import type { Logger } from "../../base/logger.js";
import { messageOf, SymposiumError } from "../../base/symposium-error.js";
import { whenAborted } from "../../base/until-aborted.js";
import { openedSessionId } from "../chain/session-resources.js";
import type { Json } from "../../base/rpc/json.js";
import { Outcome, Request } from "../../base/rpc/message.js";
import { RpcError } from "../../base/rpc/rpc-error.js";
import type { ConnectionChains } from "./connection-chains.js";
import { type Change, changed, type Choice, isSameChoice } from "./choice.js";
import { type ChangeEffect, sentence } from "./choice-text.js";
import type { OpenSession } from "./open-session.js";
import type { RunningChain } from "./running-chain.js";
import { errorText, needsSignIn } from "./session-messages.js";

interface CurrentChainOptions {
  readonly chains: ConnectionChains;
  readonly first: RunningChain;
  readonly logger: Logger;
  /** The parameters of `initialize` for further chains. */
  initializeParams(): Json | undefined;
  sessions(): Iterable<OpenSession>;
  /** Writes the change into the configuration. */
  save(change: Change): Promise<void>;
  /** What a user types in a terminal to sign in to the agent of `choice`. */
  signInLine(choice: Choice): string;
  /** A session is in another chain now. */
  onMoved(session: OpenSession): void;
}

/** How long an agent may take to open the sessions that follow a choice. */
const followLimitMs = 30_000;

/**
 * The chain for new sessions, and how it becomes another one: that is started, then the session that asked is opened in
 * it if it has no prompt yet, then the choice is saved; when any of these fails everything stays as it was. One change
 * at a time; while a session is on its way, what the client sends to it waits.
 */
export class CurrentChain {
  #chain: RunningChain;
  #choice: Choice;
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: CurrentChainOptions) {
    this.#chain = options.first;
    this.#choice = options.first.choice;
  }

  /** The chain for new sessions, or the one that was, if it has failed. */
  get chain(): RunningChain {
    return this.#chain;
  }

  get choice(): Choice {
    return this.#choice;
  }

  get initializeParams(): Json | undefined {
    return this.options.initializeParams();
  }

  /** Where new sessions were opened in `one`, they are in `other` from now on, and with its choice. */
  replace(one: RunningChain, other: RunningChain): void {
    if (this.#chain !== one) return;
    this.#chain = other;
    this.#choice = other.choice;
  }

  /**
   * The chain for sessions with `agent`: that for new sessions where it has this one or none is given, else one with the
   * same proxies; started, or started again where it has failed.
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

  /** Brings every session without a prompt into the chain for new sessions. */
  gather(): Promise<void> {
    return this.#inTurn(() => this.#bringOthers());
  }

  /**
   * The error of a set-up request, with what to do where the agent wants a sign-in: the client knows only the sign-ins of
   * the agent it began with, so that its own view of them would mislead.
   */
  withRemedy(chain: RunningChain, outcome: Outcome): Outcome {
    const remedy = this.#remedy(chain, outcome);
    if (remedy === undefined) return outcome;
    const text = `${sentence(errorText(outcome))} ${remedy}`;
    return Outcome.error(RpcError.internal(text, { details: text }));
  }

  /** Ends the chains that no session uses any more. */
  async tidy(): Promise<void> {
    await this.#inTurn(() => this.options.chains.endUnused(this.#chain));
  }

  /**
   * Makes a change that the user of `session` asks for. Rejects, with everything as before, when it cannot be made. Where
   * it `isLikely` to be made, a session without a prompt waits for it; else it goes on if it is asked something first.
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
   * Has `agent` go on with the conversation of `session`, by a session that `opening` opens. The one that it leaves stays
   * until the first prompt was answered; `onBack` hears why where it was not. Rejects, with everything as before, where
   * that cannot be opened.
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

  /** What is given here happens one after the other. */
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

  /** Every session without a prompt follows the choice. One that cannot stays where it is. */
  async #bringOthers(): Promise<void> {
    const chain = this.#chain;
    // Their messages wait meanwhile, and so does the next change.
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), followLimitMs);
    const others = [...this.options.sessions()].filter((session) => session.isFresh && session.chain !== chain);
    await Promise.all(
      others.map(async (session) => {
        using _hold = session.hold();
        try {
          const agentId = await this.#openIn(chain, session, limit.signal);
          this.#move(session, chain, agentId);
        } catch (fault) {
          // Without the hint: the line that signs in has the agent's command, and with it what its environment holds.
          const message = fault instanceof SymposiumError ? fault.message : messageOf(fault);
          this.options.logger.warn("a session could not follow", { message });
        }
      }),
    );
    clearTimeout(timer);
    this.options.chains.endUnused(chain);
  }

  /** Opens the session anew, with the parameters that it was opened with; its id there. */
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
