import { acpMethods } from "../../acp/methods.js";
import { messageOf } from "../../base/symposium-error.js";
import { type Outcome, Request } from "../../rpc/message.js";
import type { Peer } from "../../rpc/peer.js";
import type { KnownAgent } from "../known-agents.js";
import type { ChainSlot } from "./chain-slot.js";
import { choiceIn, isWord } from "./choice.js";
import { type ChosenChain, needsSignIn } from "./chosen-chain.js";
import { sessionIdIn } from "./session-aliases.js";
import { sessionStateUpdates } from "./session-update.js";
import type { SetupOptions, SetupReason } from "./setup-options.js";
import type { SetupSession } from "./setup-session.js";
import * as text from "./setup-text.js";
import type { SetupTurn } from "./setup-turn.js";
import { signInTurn } from "./sign-in-turn.js";

/** Talks with the user until an agent has taken the session over. */
export class SetupDialogue {
  #reason: SetupReason;

  constructor(
    private readonly options: SetupOptions,
    private readonly slot: ChainSlot,
    private readonly client: Peer,
  ) {
    this.#reason = options.reason;
  }

  /** Says in a new session what is to be done, unless the user was faster. */
  async greet(session: SetupSession): Promise<void> {
    try {
      const { current } = this.slot;
      if (current) {
        if (session.isFresh) session.say(text.waiting(current.name));
        return;
      }
      if (await this.#hasConfiguration()) {
        if (session.isFresh) session.say(text.configurationFound);
        return;
      }
      const agents = await this.options.agents();
      if (!session.isFresh) return;
      session.shown = agents;
      session.say(text.welcome(this.#reason, agents));
    } catch (thrown) {
      if (session.isFresh) session.say(messageOf(thrown));
    }
  }

  /** Answers one prompt; resolves when the next one may come. */
  readonly answer = async (session: SetupSession, turn: SetupTurn): Promise<void> => {
    try {
      const { current } = this.slot;
      if (session.notice !== undefined) await this.ask(session, turn, takeNotice(session));
      else if (!current) await this.#choose(session, turn);
      else if (session.signIn?.chain === current) await signInTurn(this, session, turn, session.signIn);
      else await this.#enter(session, turn, current, !isAnswer(session, turn));
    } catch (thrown) {
      turn.finish(messageOf(thrown));
    }
  };

  /** Lists the agents again, after a paragraph on why; without one, says anew what is the matter. */
  async ask(session: SetupSession, turn: SetupTurn, why?: string): Promise<void> {
    const agents = await this.options.agents();
    session.shown = agents;
    session.signIn = undefined;
    if (why !== undefined) turn.say(why);
    const isKnown = this.slot.hasTried && why !== undefined;
    turn.finish(isKnown ? text.question(agents) : text.welcome(this.#reason, agents));
  }

  /** Gives the chain up for this session and lists the agents again. */
  async goBack(session: SetupSession, turn: SetupTurn, chain: ChosenChain, why: string): Promise<void> {
    this.slot.leave(chain, session);
    await this.ask(session, turn, why);
  }

  /** Asks how to sign in; the next prompt is the answer. */
  askToSignIn(session: SetupSession, turn: SetupTurn, chain: ChosenChain, why: string): void {
    const methods = chain.signIns;
    session.signIn = { chain, methods };
    turn.finish(text.signInQuestion(methods, why));
  }

  terminalCommand(...[agent, method]: Parameters<SetupOptions["terminalCommand"]>): string {
    return method.commandLine ?? this.options.terminalCommand(agent, method);
  }

  /** Opens a session in the chain and hands this one over; `isForwarded` also hands over the prompt. */
  openSession(session: SetupSession, turn: SetupTurn, chain: ChosenChain, isForwarded: boolean): Promise<void> {
    return new Promise((resolve) => {
      const request = new Request(acpMethods.sessionNew, session.setup);
      const cancel = chain.request(request, (outcome) => {
        // In the same tick, so that the agent's first updates already find the session.
        const isOpen = this.#receiveSession(session, turn, chain, outcome, isForwarded);
        resolve(isOpen ? undefined : this.#refused(session, turn, chain, outcome));
      });
      if (turn.isOver) return;
      turn.onCancel(() => {
        cancel();
        if (!session.signIn) this.slot.leave(chain, session);
        resolve();
      });
    });
  }

  async #choose(session: SetupSession, turn: SetupTurn): Promise<void> {
    const agents = session.shown ?? (await turn.until(this.options.agents()));
    if (!agents) return;
    const agent = choiceIn(turn.text, agents);
    if (agent) {
      await this.#save(session, turn, agent);
      return;
    }
    const isRetry = isWord(turn.text, "retry");
    const isUsable = await turn.until(isRetry ? this.#reload() : this.#hasConfiguration());
    if (isUsable === undefined) return;
    if (isUsable) await this.#enter(session, turn, this.slot.current ?? this.slot.open(undefined), !isRetry);
    else await this.ask(session, turn, isRetry ? undefined : text.notInList(turn.text, agents.length));
  }

  async #save(session: SetupSession, turn: SetupTurn, agent: KnownAgent): Promise<void> {
    const { current } = this.slot;
    if (current) {
      await this.#enter(session, turn, current, false);
      return;
    }
    const saving = this.options.save(agent);
    const chain = this.slot.open(agent, saving);
    this.slot.join(chain, session);
    turn.onCancel(() => this.slot.leave(chain, session));
    let path: string | undefined;
    try {
      path = await turn.until(saving);
    } catch (thrown) {
      await this.goBack(session, turn, chain, text.cannotSave(messageOf(thrown)));
      return;
    }
    if (path === undefined) return;
    turn.say(text.saved(path, agent, this.options.extensions));
    turn.say(text.starting(agent));
    await this.#enter(session, turn, chain, false);
  }

  async #enter(session: SetupSession, turn: SetupTurn, chain: ChosenChain, isForwarded: boolean): Promise<void> {
    this.slot.join(chain, session);
    turn.onCancel(() => this.slot.leave(chain, session));
    const initialized = await turn.until(chain.initialized);
    if (!initialized) return;
    if (!initialized.isError) await this.openSession(session, turn, chain, isForwarded);
    else await this.goBack(session, turn, chain, text.cannotStart(chain.name, text.errorText(initialized)));
  }

  #receiveSession(
    session: SetupSession,
    turn: SetupTurn,
    chain: ChosenChain,
    outcome: Outcome,
    isForwarded: boolean,
  ): boolean {
    const agentSessionId = outcome.isError ? undefined : sessionIdIn(outcome.json);
    if (agentSessionId === undefined) return false;
    if (turn.isOver) {
      // Nobody waits for this session any more.
      chain.request(Request.of(acpMethods.sessionClose, { sessionId: agentSessionId }), () => undefined);
      return true;
    }
    chain.aliases.add(session.id, agentSessionId);
    chain.isReady = true;
    for (const update of sessionStateUpdates(session.id, outcome.json)) this.client.notify(update);
    if (!isForwarded) turn.finish(text.nowTalking(chain.name));
    session.handOver(chain);
    return true;
  }

  async #refused(session: SetupSession, turn: SetupTurn, chain: ChosenChain, outcome: Outcome): Promise<void> {
    if (turn.isOver) return;
    if (!needsSignIn(outcome)) {
      const why = text.cannotOpen(
        chain.name,
        outcome.isError ? text.errorText(outcome) : text.noSessionId,
        !chain.isReady,
      );
      if (!chain.isReady) await this.goBack(session, turn, chain, why);
      else {
        session.shown ??= [];
        turn.finish(why);
      }
      return;
    }
    const isStill = session.signIn?.chain === chain;
    this.askToSignIn(session, turn, chain, text.signInNeeded(chain.name, text.errorText(outcome), isStill));
  }

  /** Whether the file can be used by now. Only asked before an agent was tried: later on the user decides. */
  async #hasConfiguration(): Promise<boolean> {
    return !this.slot.hasTried && (await this.#reload());
  }

  async #reload(): Promise<boolean> {
    const found = await this.options.reload();
    if (found !== "ok") this.#reason = found;
    return found === "ok";
  }
}

/** Whether the prompt answers the list that the session was shown, and so is not meant for the agent. */
function isAnswer(session: SetupSession, turn: SetupTurn): boolean {
  if (!session.shown) return false;
  return choiceIn(turn.text, session.shown) !== undefined || isWord(turn.text, "retry");
}

function takeNotice(session: SetupSession): string | undefined {
  const { notice } = session;
  session.notice = undefined;
  return notice;
}
