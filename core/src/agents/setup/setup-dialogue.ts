import { sessionIdOf } from "../../base/acp/session-message.js";
import { acpMethods } from "../../base/acp/methods.js";
import { messageOf } from "../../base/symposium-error.js";
import { errorText, needsSignIn } from "../../conductor/choices/session-messages.js";
import { type Outcome, Request } from "../../base/rpc/message.js";
import type { KnownAgent } from "../known-agents.js";
import { choiceIn, isWord } from "./read-choice.js";
import type { AgentPlace, ChosenAgent } from "./chosen-agent.js";
import type { SetupAgentNeeds, SetupReason } from "./setup-agent-needs.js";
import type { AgentlessSession, SetupTurn } from "./agentless-session.js";
import * as text from "./setup-text.js";

type PendingSignIn = NonNullable<AgentlessSession["signIn"]>;

/** Talks with the user until an agent takes over the session. */
export class SetupDialogue {
  #reason: SetupReason;

  constructor(
    private readonly options: SetupAgentNeeds,
    private readonly place: AgentPlace,
  ) {
    this.#reason = options.reason;
  }

  /** Sends instructions in a new session, unless the user has already sent a prompt. */
  async welcome(session: AgentlessSession): Promise<void> {
    try {
      const { current } = this.place;
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

  /** Answers one prompt; resolves when the session can take the next one. */
  readonly answer = async (session: AgentlessSession, turn: SetupTurn): Promise<void> => {
    try {
      const { current } = this.place;
      if (session.notice !== undefined) await this.#ask(session, turn, takeNotice(session));
      else if (!current) await this.#choose(session, turn);
      else if (session.signIn?.chosen === current) await this.#signIn(session, turn, session.signIn);
      else await this.#enter(session, turn, current, !isAnswer(session, turn));
    } catch (thrown) {
      turn.finish(messageOf(thrown));
    }
  };

  /** Lists the agents again after the paragraph `why`. Without `why`, explains the setup reason again. */
  async #ask(session: AgentlessSession, turn: SetupTurn, why?: string): Promise<void> {
    const agents = await this.options.agents();
    session.shown = agents;
    session.signIn = undefined;
    if (why !== undefined) turn.say(why);
    const isKnown = this.place.hasTried && why !== undefined;
    turn.finish(isKnown ? text.question(agents) : text.welcome(this.#reason, agents));
  }

  async #goBack(session: AgentlessSession, turn: SetupTurn, chosen: ChosenAgent, why: string): Promise<void> {
    this.place.leave(chosen, session);
    await this.#ask(session, turn, why);
  }

  #askToSignIn(session: AgentlessSession, turn: SetupTurn, chosen: ChosenAgent, why: string): void {
    const methods = chosen.signIns;
    session.signIn = { chosen, methods };
    turn.finish(text.signInQuestion(methods, why));
  }

  /** Asks the agent to open a session and hands the user's session over to the agent; `withPrompt` also hands over the prompt. */
  #openSession(session: AgentlessSession, turn: SetupTurn, chosen: ChosenAgent, withPrompt: boolean): Promise<void> {
    return new Promise((resolve) => {
      const request = new Request(acpMethods.sessionNew, session.setup);
      const cancel = chosen.request(request, (outcome) => {
        // Register the session in the same tick, so that the agent's first updates find it.
        const isOpen = this.#receiveSession(session, turn, chosen, outcome, withPrompt);
        resolve(isOpen ? undefined : this.#refused(session, turn, chosen, outcome));
      });
      if (turn.isOver) return;
      turn.onCancel(() => {
        cancel();
        if (!session.signIn) this.place.leave(chosen, session);
        resolve();
      });
    });
  }

  async #choose(session: AgentlessSession, turn: SetupTurn): Promise<void> {
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
    if (isUsable) await this.#enter(session, turn, this.place.current ?? this.place.start(undefined), !isRetry);
    else await this.#ask(session, turn, isRetry ? undefined : text.notInList(turn.text, agents.length));
  }

  async #save(session: AgentlessSession, turn: SetupTurn, agent: KnownAgent): Promise<void> {
    const { current } = this.place;
    if (current) {
      await this.#enter(session, turn, current, false);
      return;
    }
    const saving = this.options.save(agent);
    const chosen = this.place.start(agent, saving);
    this.place.join(chosen, session);
    turn.onCancel(() => this.place.leave(chosen, session));
    let path: string | undefined;
    try {
      path = await turn.until(saving);
    } catch (thrown) {
      await this.#goBack(session, turn, chosen, text.cannotSave(messageOf(thrown)));
      return;
    }
    if (path === undefined) return;
    turn.say(text.saved(path, agent, this.options.extensions));
    turn.say(text.starting(agent));
    await this.#enter(session, turn, chosen, false);
  }

  async #enter(session: AgentlessSession, turn: SetupTurn, chosen: ChosenAgent, withPrompt: boolean): Promise<void> {
    this.place.join(chosen, session);
    turn.onCancel(() => this.place.leave(chosen, session));
    const initialized = await turn.until(chosen.initialized);
    if (!initialized) return;
    if (!initialized.isError) await this.#openSession(session, turn, chosen, withPrompt);
    else await this.#goBack(session, turn, chosen, text.cannotStart(chosen.name, errorText(initialized)));
  }

  #receiveSession(
    session: AgentlessSession,
    turn: SetupTurn,
    chosen: ChosenAgent,
    outcome: Outcome,
    withPrompt: boolean,
  ): boolean {
    const agentSessionId = outcome.isError ? undefined : sessionIdOf(outcome.json);
    if (agentSessionId === undefined) return false;
    if (turn.isOver) {
      // The user closed or left the session meanwhile.
      chosen.request(Request.of(acpMethods.sessionClose, { sessionId: agentSessionId }), () => undefined);
      return true;
    }
    if (!withPrompt) turn.say(text.nowTalking(chosen.name));
    session.handOver(chosen);
    chosen.receive(session.id, outcome.json, withPrompt);
    turn.finish();
    return true;
  }

  async #refused(session: AgentlessSession, turn: SetupTurn, chosen: ChosenAgent, outcome: Outcome): Promise<void> {
    if (turn.isOver) return;
    if (!needsSignIn(outcome)) {
      const why = text.cannotOpen(
        chosen.name,
        outcome.isError ? errorText(outcome) : text.noSessionId,
        !chosen.isReady,
      );
      if (!chosen.isReady) await this.#goBack(session, turn, chosen, why);
      else {
        session.shown ??= [];
        turn.finish(why);
      }
      return;
    }
    const isStill = session.signIn?.chosen === chosen;
    this.#askToSignIn(session, turn, chosen, text.signInNeeded(chosen.name, errorText(outcome), isStill));
  }

  async #signIn(session: AgentlessSession, turn: SetupTurn, { chosen, methods }: PendingSignIn): Promise<void> {
    if (isWord(turn.text, "back")) {
      if (!chosen.isReady) await this.#goBack(session, turn, chosen, text.savedStays);
      else this.#askToSignIn(session, turn, chosen, `${chosen.name} is in use by another session.`);
      return;
    }
    if (isWord(turn.text, "retry")) {
      await this.#openSession(session, turn, chosen, false);
      return;
    }
    const method = choiceIn(turn.text, methods);
    if (!method) {
      // Another session may have signed in meanwhile.
      if (chosen.isReady) await this.#openSession(session, turn, chosen, true);
      else this.#askToSignIn(session, turn, chosen, text.notASignIn(turn.text, chosen.name, methods.length));
      return;
    }
    if (method.kind !== "agent") {
      const command = method.commandLine ?? this.options.terminalCommand(chosen.agent, method);
      turn.finish(text.signInElsewhere(method, command));
      return;
    }
    const outcome = await authenticate(turn, chosen, method.id);
    if (!outcome) return;
    if (!outcome.isError) await this.#openSession(session, turn, chosen, false);
    else this.#askToSignIn(session, turn, chosen, `${method.name} failed: ${errorText(outcome)}`);
  }

  /** Whether the configuration file has become usable. Checked only before the first agent start; afterwards the user decides. */
  async #hasConfiguration(): Promise<boolean> {
    return !this.place.hasTried && (await this.#reload());
  }

  async #reload(): Promise<boolean> {
    const found = await this.options.reload();
    if (found !== "ok") this.#reason = found;
    return found === "ok";
  }
}

/** Signs in to the chosen agent. Undefined if the turn was cancelled. */
function authenticate(turn: SetupTurn, chosen: ChosenAgent, methodId: string): Promise<Outcome | undefined> {
  const answered = new Promise<Outcome>((resolve) => {
    turn.onCancel(chosen.request(Request.of(acpMethods.authenticate, { methodId }), resolve));
  });
  return turn.until(answered);
}

/** Whether the prompt answers the displayed list and therefore isn't forwarded to the agent. */
function isAnswer(session: AgentlessSession, turn: SetupTurn): boolean {
  if (!session.shown) return false;
  return choiceIn(turn.text, session.shown) !== undefined || isWord(turn.text, "retry");
}

function takeNotice(session: AgentlessSession): string | undefined {
  const { notice } = session;
  session.notice = undefined;
  return notice;
}
