import { type AgentFailure, AgentRefusal } from "./agent-failure.js";
import type { ConnectedAgent } from "./agent-supervisor.js";
import { call } from "./call.js";
import type { AbilitySession } from "./client-ability.js";
import type { ConversationOptions } from "./conversation-options.js";
import { type FoldContext } from "./fold/fold-target.js";
import { SessionFold } from "./fold/session-fold.js";
import { newSession, type OpenedSession, reopenSession, type SessionPlace } from "./open-session.js";
import { SessionOptions } from "./session-options.js";
import { soon } from "./soon.js";
import { authRequiredCode, wire, type WireObject } from "./wire.js";

/** A session that prompts can be sent to. */
export interface LiveSession {
  readonly agent: ConnectedAgent;
  readonly ability: AbilitySession;
  /** Why the agent does not remember the conversation, where it should. */
  readonly lost?: string;
}

interface SessionLinkHooks {
  readonly isTurnOpen: () => boolean;
  crashed(failure: AgentFailure, restartMs: number | undefined): void;
  /** Another tab's user has had the agent restarted, and the session went with it. */
  replaced(): void;
}

/** Ties one tab to a session of its agent, and to the next one when the agent has to be started again. */
export class SessionLink {
  readonly options = new SessionOptions();
  readonly fold: SessionFold;
  readonly #attached: Disposable;
  readonly #end = new AbortController();
  #roots: readonly string[];
  #sessionId: string | undefined;
  #live: LiveSession | undefined;
  #opening: Promise<LiveSession> | undefined;

  constructor(
    private readonly given: ConversationOptions,
    private readonly hooks: SessionLinkHooks,
  ) {
    this.#sessionId = given.sessionId;
    this.#roots = given.folders;
    this.fold = this.#newFold();
    this.#attached = given.agent.attach({
      crashed: (failure, restartMs) => {
        this.#forget();
        hooks.crashed(failure, restartMs);
      },
      replaced: () => {
        // A tab that restarts the agent itself has let go of its session before.
        if (!this.#live) return;
        this.#forget();
        hooks.replaced();
      },
    });
  }

  get live(): LiveSession | undefined {
    return this.#live;
  }

  /** Absolute paths of the session's folders. */
  get roots(): readonly string[] {
    return this.#roots;
  }

  /** Whether there is a session to be taken up again. */
  get hasEarlierSession(): boolean {
    return this.#sessionId !== undefined;
  }

  /** The open session; the agent is started and the session opened if need be, once for all who ask meanwhile. */
  open(): Promise<LiveSession> {
    if (this.#live) return Promise.resolve(this.#live);
    if (this.#opening) return this.#opening;
    const opening = this.#open().finally(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    this.#opening = opening;
    return opening;
  }

  /** Ends the agent's process and starts anew, with the same session where that can be. */
  async restart(): Promise<LiveSession> {
    this.#forget();
    await this.given.agent.restart();
    this.#opening = undefined;
    return this.open();
  }

  /** Lets the user sign in after `reason`. Resolves with true when the refused request is worth another try. */
  async signIn(agent: ConnectedAgent, reason: string): Promise<boolean> {
    const { tabId, target, command } = this.given;
    return this.given.signIn.signIn({
      tabId,
      agent: this.#identity,
      reason,
      methods: agent.initialized.authMethods,
      command,
      transcript: target.transcript,
      publish: (change) => target.publish(change),
      authenticate: async (methodId) => {
        await call(agent.process.peer, wire.authenticate, { methodId });
      },
      signal: AbortSignal.any([this.#end.signal, endOf(agent)]),
    });
  }

  /** The tab is closed: the session is closed too where the agent can do that. */
  async close(): Promise<void> {
    this.#end.abort();
    const live = this.#live;
    this.#forget();
    if (live?.agent.initialized.canClose === true) {
      const { sessionId } = live.ability;
      await soon(
        call(live.agent.process.peer, wire.sessionClose, { sessionId }).catch(() => undefined),
        2_000,
      );
    }
    this.detach();
  }

  /** Lets go of the agent without a word: the window closes. */
  detach(): void {
    this.#end.abort();
    this.#forget();
    this.#attached[Symbol.dispose]();
  }

  get #identity(): AbilitySession["agent"] {
    const { agentId, agentName } = this.given.agent.configuration;
    return { id: agentId, name: agentName };
  }

  async #open(): Promise<LiveSession> {
    const agent = await this.given.agent.connect();
    this.#end.signal.throwIfAborted();
    const opened = await agent.router.whileOpening(async () => {
      const place = await this.#place(agent);
      const opened = await this.#ask(agent, place, true);
      this.#end.signal.throwIfAborted();
      if (!opened.isContinued) this.#route(agent, opened.sessionId);
      return opened;
    });
    this.fold.isReplaying = false;
    this.options.read(opened.result);
    this.fold.publishOptions();
    const { image, audio } = agent.initialized.accepts;
    this.given.target.publish({ op: "tab", patch: { accepts: { image, audio } } });
    if (this.#sessionId !== opened.sessionId) this.given.hooks.sessionChanged(opened.sessionId);
    this.#sessionId = opened.sessionId;
    this.#live = {
      agent,
      ability: this.#abilityOf(opened.sessionId),
      ...(opened.lost === undefined ? {} : { lost: opened.lost }),
    };
    return this.#live;
  }

  async #ask(agent: ConnectedAgent, place: SessionPlace, maySignIn: boolean): Promise<OpenedSession> {
    try {
      if (this.#sessionId === undefined) return await newSession(agent, place);
      return await reopenSession(agent, place, this.#sessionId, {
        expect: (sessionId, isReplay) => {
          this.fold.isReplaying = isReplay && this.given.target.transcript.items.length > 0;
          this.#route(agent, sessionId);
        },
        giveUp: (sessionId) => agent.router.remove(sessionId),
      });
    } catch (thrown) {
      this.fold.isReplaying = false;
      if (!maySignIn || !isSignInRefusal(thrown)) throw thrown;
      if (!(await this.signIn(agent, thrown.message))) throw thrown;
      return this.#ask(agent, place, false);
    }
  }

  /** Several folders go to the agent where it takes them; else the user says which. */
  async #place(agent: ConnectedAgent): Promise<SessionPlace> {
    const { folders } = this.given;
    const takesAll = folders.length < 2 || agent.initialized.takesAdditionalDirectories;
    const chosen = takesAll ? undefined : await this.given.chooseFolder(folders);
    const [cwd = "/", ...additionalDirectories] = takesAll ? folders : [chosen ?? folders[0] ?? "/"];
    this.#roots = [cwd, ...additionalDirectories];
    return { cwd, additionalDirectories };
  }

  #route(agent: ConnectedAgent, sessionId: string): void {
    const { hooks } = this;
    agent.router.add({
      ability: this.#abilityOf(sessionId),
      get isTurnOpen() {
        return hooks.isTurnOpen();
      },
      update: (update: WireObject) => this.fold.update(update),
    });
  }

  #abilityOf(sessionId: string): AbilitySession {
    const { tabId, target } = this.given;
    const { transcript } = target;
    return {
      tabId,
      sessionId,
      agent: this.#identity,
      roots: this.#roots,
      transcript,
      publish: (change) => target.publish(change),
    };
  }

  #forget(): void {
    const live = this.#live;
    this.#live = undefined;
    if (!live) return;
    live.agent.router.remove(live.ability.sessionId);
    this.given.observers.sessionEnded(live.ability);
  }

  #newFold(): SessionFold {
    const { target, now, newId, observers, hooks, logger } = this.given;
    const rootsOf = (): readonly string[] => this.#roots;
    const context: FoldContext = {
      transcript: target.transcript,
      publish: (change) => target.publish(change),
      get roots() {
        return rootsOf();
      },
      now,
      newId,
    };
    return new SessionFold(context, this.options, {
      observeToolCall: (toolCall) => {
        const session = this.#live?.ability;
        if (session) observers.toolCall(session, toolCall);
      },
      observeOutput: (terminalId, text) => {
        const session = this.#live?.ability;
        if (session) observers.agentOutput(session, terminalId, text);
      },
      titled: (title) => hooks.titled(title),
      childSession: (child) => {
        if (this.#live) this.#live.agent.router.addChild(child, this.#live.ability.sessionId);
      },
      unreadable: (kind, reason) => logger.warn("an update could not be read", { kind, reason }),
    });
  }
}

/** Whether the agent wants the user to sign in first. */
export function isSignInRefusal(thrown: unknown): thrown is AgentRefusal {
  return thrown instanceof AgentRefusal && thrown.code === authRequiredCode;
}

function endOf(agent: ConnectedAgent): AbortSignal {
  const controller = new AbortController();
  void agent.process.ended.then(() => controller.abort());
  return controller.signal;
}
