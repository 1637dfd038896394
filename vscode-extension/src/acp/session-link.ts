import * as l10n from "@vscode/l10n";
import {
  type AgentFailure,
  type AgentLease,
  AgentRefusal,
  type AgentSession,
  type Members,
  type SessionSetup,
} from "@symposium-dev/core";
import { chooseAgain, openBranch } from "./branch-session.js";
import type { AbilitySession, TabSession } from "./client-abilities.js";
import type { ConversationParts } from "./conversation-parts.js";
import type { FoldContext, SessionUpdate } from "./fold-target.js";
import { OpenTurn, symposiumMeta } from "./interrupted-turn.js";
import type { RunningAgent } from "./running-agent.js";
import { SessionFold } from "./session-fold.js";
import { SessionOptions } from "./session-options.js";

/** Maximum milliseconds for an agent to close a session. */
const closeMs = 2_000;

export interface LiveSession {
  readonly agent: RunningAgent;
  readonly session: AgentSession<TabSession>;
  readonly ability: AbilitySession;
  /** Reason why the agent has lost the earlier conversation, if it has. */
  readonly lost?: string;
  /** Whether the host has the tab's interrupted turn, which therefore continues. */
  readonly hasTurn?: boolean;
}

interface OpenedSession extends Pick<LiveSession, "session" | "lost" | "hasTurn"> {
  /** Whether the whole conversation of the tab is stored under this session. */
  readonly isKept: boolean;
}

interface SessionLinkHooks {
  crashed(failure: AgentFailure, restartMs: number | undefined): void;
  /** Called when another tab restarted the agent and thereby ended the session. */
  replaced(): void;
  /** Reports the number of the session's requests that wait for the user. */
  waiting(count: number): void;
  updated(update: SessionUpdate): void;
}

export class SessionLink {
  readonly options = new SessionOptions();
  readonly fold: SessionFold;
  readonly #lease: AgentLease<RunningAgent>;
  readonly #end = new AbortController();
  #roots: readonly string[];
  #sessionId: string | undefined;
  #prelude: readonly Members[] = [];
  /**
   * Whether the tab's session was opened by an earlier window, but the agent hasn't yet received the conversation that the tab continues.
   */
  #isUntold: boolean;
  #live: LiveSession | undefined;
  #opening: Promise<LiveSession> | undefined;

  constructor(
    private readonly given: ConversationParts,
    private readonly hooks: SessionLinkHooks,
  ) {
    this.#sessionId = given.sessionId;
    this.#isUntold = given.sessionId !== undefined && given.branch !== undefined;
    this.#roots = given.folders;
    this.fold = this.#newFold();
    this.#lease = given.agent.lease({
      crashed: (failure, restartMs) => {
        this.#forget();
        hooks.crashed(failure, restartMs);
      },
      replaced: () => {
        // A tab that restarts the agent itself has already released its session.
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

  get hasEarlierSession(): boolean {
    return this.#sessionId !== undefined;
  }

  /** Returns the open session, starting the agent and opening a session if needed. Concurrent calls share one attempt. */
  open(): Promise<LiveSession> {
    if (this.#live) return Promise.resolve(this.#live);
    if (this.#opening) return this.#opening;
    const opening = this.#open().finally(() => {
      if (this.#opening === opening) this.#opening = undefined;
    });
    this.#opening = opening;
    return opening;
  }

  /** Ends and restarts the agent's process, and reopens the session if possible. */
  async restart(): Promise<LiveSession> {
    const sessions = this.#isHosted ? (this.#live?.agent.client.sessions ?? []) : [];
    this.#forget();
    await Promise.all(sessions.map(endInHost));
    await this.#lease.restart();
    this.#opening = undefined;
    return this.open();
  }

  /** Asks the user to sign in and shows `reason`. Resolves with true if the caller should retry the refused request. */
  async signIn(agent: RunningAgent, reason: string): Promise<boolean> {
    const { tabId, target, command } = this.given;
    return this.given.signIn.signIn({
      tabId,
      agent: this.#identity,
      reason,
      methods: agent.initialized.authMethods,
      command,
      transcript: target.transcript,
      publish: (change) => target.publish(change),
      authenticate: (methodId) => agent.client.authenticate(methodId),
      signal: AbortSignal.any([this.#end.signal, endOf(agent)]),
    });
  }

  /** Closes the tab's session if the agent supports that. The host keeps a session with a running turn, unless `ends` is set. */
  async close(ends: boolean): Promise<void> {
    this.#end.abort();
    const live = this.#live;
    this.#forget();
    if (ends && live?.agent.isHosted === true) await endInHost(live.session);
    else await live?.session.close(closeMs);
    this.detach();
  }

  /** Releases the session, so that another conversation can open it in a different agent process. */
  async release(): Promise<void> {
    const live = this.#live;
    this.detach();
    if (live?.agent.isHosted === true) await endInHost(live.session);
  }

  /** Releases the agent when the window closes, without sending a message. In the host, sessions and open questions continue. */
  leave(): void {
    if (this.#isHosted) this.#end.abort();
    else this.detach();
  }

  get #isHosted(): boolean {
    return this.given.agent.configuration.isHosted === true;
  }

  /** Releases the agent when the window closes, without sending a message. */
  detach(): void {
    this.#end.abort();
    this.#forget();
    void this.#lease.release();
  }

  get #identity(): AbilitySession["agent"] {
    const { agentId, agentName } = this.given.agent.configuration;
    return { id: agentId, name: agentName };
  }

  async #open(): Promise<LiveSession> {
    const agent = await this.#lease.connect();
    this.#end.signal.throwIfAborted();
    const { session, isKept, ...found } = await this.#ask(agent, await this.#setup(agent), true);
    // The tab was closed while the agent opened the session, so no other code would close the session.
    if (this.#end.signal.aborted) void session.close(closeMs);
    this.#end.signal.throwIfAborted();
    this.fold.isReplaying = false;
    this.options.read(session.opened);
    if (this.#sessionId === undefined) await chooseAgain(this.given, this.options, session, agent);
    this.fold.publishOptions();
    const { accepts, canSteer: steering } = agent.initialized;
    const { image, audio } = accepts;
    this.given.target.publish({ op: "tab", patch: { accepts: { image, audio, ...(steering && { steering }) } } });
    const knowsAll = this.#prelude.length === 0;
    if (this.#sessionId !== session.id) this.given.hooks.sessionChanged(session.id, isKept, knowsAll);
    this.#sessionId = session.id;
    this.#live = { agent, session, ability: this.#abilityOf(session.id), ...found };
    return this.#live;
  }

  async #ask(agent: RunningAgent, setup: SessionSetup, maySignIn: boolean): Promise<OpenedSession> {
    try {
      return await this.#newOrEarlier(agent, setup);
    } catch (thrown) {
      this.fold.isReplaying = false;
      if (!maySignIn || !isSignInRefusal(thrown)) throw thrown;
      if (!(await this.signIn(agent, thrown.message))) throw thrown;
      return this.#ask(agent, setup, false);
    }
  }

  /**
   * Reopens the tab's session with `session/resume` or `session/load`, if supported. Otherwise opens a new session and returns the reason.
   * Rejects if a sign-in is required.
   */
  async #newOrEarlier(agent: RunningAgent, setup: SessionSetup): Promise<OpenedSession> {
    const sessionId = this.#sessionId;
    if (sessionId === undefined) return this.#first(agent, setup);
    if (this.#isUntold) this.#prelude = this.given.handOff?.(setup.cwd) ?? [];
    this.#isUntold = false;
    const openTurn = this.#isHosted ? OpenTurn.cut(this.given.target) : undefined;
    if (openTurn) this.fold.turnStarted(openTurn.prompt.text);
    let found: AgentSession<TabSession> | string | undefined;
    let hasTurn: boolean;
    try {
      found = await this.#earlier(agent, sessionId, { ...setup, ...openTurn?.wish });
    } finally {
      this.fold.isReplaying = false;
      hasTurn = openTurn?.settle(typeof found === "object" ? found.opened : undefined) === true;
    }
    if (typeof found === "object") return { session: found, isKept: false, hasTurn };
    return { session: await this.#new(agent, setup), isKept: false, lost: found };
  }

  /** Returns the earlier session, or the reason if the agent can't open it. */
  async #earlier(
    agent: RunningAgent,
    sessionId: string,
    setup: SessionSetup,
  ): Promise<AgentSession<TabSession> | string> {
    const { client } = agent;
    const listener = this.#listener(agent, sessionId);
    const { canResume, canLoad } = agent.initialized;
    let lost = l10n.t("It can't resume earlier sessions.");
    // Only the host has the conversation of a tab that attaches to its session.
    const isEmpty = this.#isHosted && this.given.target.transcript.items.length === 0;
    for (const way of isEmpty ? (["load", "resume"] as const) : (["resume", "load"] as const)) {
      if (!(way === "resume" ? canResume : canLoad)) continue;
      // Only `session/load` replays all messages. The tab may already show these messages.
      this.fold.isReplaying = way === "load" && this.given.target.transcript.items.length > 0;
      try {
        return way === "resume"
          ? await client.resumeSession(sessionId, setup, listener)
          : await client.loadSession(sessionId, setup, listener);
      } catch (thrown) {
        if (!(thrown instanceof AgentRefusal) || thrown.wantsSignIn || thrown.failure) throw thrown;
        lost = thrown.message;
      }
    }
    return lost;
  }

  /** Passes several folders if the agent accepts them; otherwise asks the user to choose one. */
  async #setup(agent: RunningAgent): Promise<SessionSetup> {
    const { folders } = this.given;
    const takesAll = folders.length < 2 || agent.initialized.takesAdditionalDirectories;
    const chosen = takesAll ? undefined : await this.given.chooseFolder(folders);
    const [cwd = "/", ...additionalDirectories] = takesAll ? folders : [chosen ?? folders[0] ?? "/"];
    this.#roots = [cwd, ...additionalDirectories];
    return { cwd, additionalDirectories };
  }

  /** Opens the first session of a tab. If the tab continues another conversation, the agent may have to receive it. */
  async #first(agent: RunningAgent, setup: SessionSetup): Promise<OpenedSession> {
    const { branch, handOff } = this.given;
    if (!branch) return { session: await this.#new(agent, setup), isKept: true };
    const kept = branch.from?.kept;
    const continued = kept === undefined ? undefined : await this.#continued(agent, setup, kept);
    if (continued) return { session: continued, isKept: true };
    const listener = this.#listener(agent);
    const session = await openBranch(agent, branch, setup, listener);
    listener.sessionId = session?.id;
    this.#prelude = session ? [] : (handOff?.(setup.cwd) ?? []);
    return { session: session ?? (await this.#new(agent, setup)), isKept: false };
  }

  /** Opens a session in which the agent receives a stored conversation and can search it; undefined if it is no longer stored. */
  async #continued(
    agent: RunningAgent,
    setup: SessionSetup,
    conversation: string,
  ): Promise<AgentSession<TabSession> | undefined> {
    try {
      return await this.#new(agent, { ...setup, members: { _meta: { symposium: { continues: { conversation } } } } });
    } catch (thrown) {
      if (!(thrown instanceof AgentRefusal) || thrown.wantsSignIn || thrown.failure) throw thrown;
      this.given.logger.debug("continuing a conversation from its transcript", { reason: thrown.message });
      return undefined;
    }
  }

  /** Content that the agent must receive before the next prompt. */
  get prelude(): readonly Members[] {
    return this.#prelude;
  }

  preludeRead(): void {
    if (this.#prelude.length === 0) return;
    this.#prelude = [];
    this.given.hooks.told();
  }

  async #new(agent: RunningAgent, setup: SessionSetup): Promise<AgentSession<TabSession>> {
    const listener = this.#listener(agent);
    const session = await agent.client.newSession(setup, listener);
    listener.sessionId = session.id;
    return session;
  }

  /** Creates the listener of a session; a new session's id is known only after opening. */
  #listener(agent: RunningAgent, sessionId?: string): TabSession & { sessionId: string | undefined } {
    return {
      sessionId,
      update: (update) => {
        this.fold.update(update);
        this.hooks.updated(update);
      },
      childUpdate: (childId, update) => this.fold.childUpdate(childId, update),
      ability: (id, childId) => this.#abilityOf(id, childId),
      ended() {
        if (this.sessionId !== undefined) agent.abilities.sessionEnded(this.sessionId);
      },
    };
  }

  #abilityOf(sessionId: string, childId = sessionId): AbilitySession {
    const { tabId, target } = this.given;
    const { transcript } = target;
    return {
      tabId,
      sessionId,
      agent: this.#asking(childId),
      roots: this.#roots,
      folders: [...new Set([...this.#roots, ...this.given.folders])],
      transcript,
      publish: (change) => {
        target.publish(change);
        const waiting = change.op === "tab" ? change.patch["waiting"] : undefined;
        if (typeof waiting === "number") this.hooks.waiting(waiting);
      },
    };
  }

  #asking(sessionId: string): AbilitySession["agent"] {
    const title = this.fold.childTitle(sessionId);
    return title === undefined ? this.#identity : { ...this.#identity, name: `${this.#identity.name} · ${title}` };
  }

  #forget(): void {
    const live = this.#live;
    this.#live = undefined;
    if (!live) return;
    live.session.forget();
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
      unreadable: (kind, reason) => logger.warn("an update couldn't be read", { kind, reason }),
    });
  }
}

/** Closes a session in the host even if a turn is running. */
function endInHost(session: AgentSession<TabSession>): Promise<void> {
  return session.close(closeMs, symposiumMeta({ ends: true }));
}

export function isSignInRefusal(thrown: unknown): thrown is AgentRefusal {
  return thrown instanceof AgentRefusal && thrown.wantsSignIn;
}

function endOf(agent: RunningAgent): AbortSignal {
  const controller = new AbortController();
  void agent.ended.then(() => controller.abort());
  return controller.signal;
}
