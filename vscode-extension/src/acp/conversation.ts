import { type AgentFailure, AgentRefusal, hostTurnIn, isDoneWithin, OthersTurn } from "@symposium-dev/core";
import type { Draft, ItemOf, PromptTime, QueuedPrompt, TabState } from "../../protocol/index.js";
import type { AgentConfiguration } from "./agent-configuration.js";
import {
  type Crash,
  crashNotice,
  forgottenNotice,
  optionNotice,
  refusedNotice,
  replacedNotice,
  restartedNotice,
  startNotice,
  startNoticeId,
  unstoppedNotice,
  connectionEnded,
} from "./conversation-notices.js";
import { childOfCard } from "./child-fold.js";
import { type ConversationParts, promptContent } from "./conversation-parts.js";
import type { SessionUpdate } from "./fold-target.js";
import { latestPrompt } from "./interrupted-turn.js";
import { isSignInRefusal, type LiveSession, SessionLink } from "./session-link.js";
import type { CallEdit } from "./session-observers.js";
import { QueuedPrompts } from "./queued-prompts.js";
import { Steering } from "./steering.js";
import { type SendTurn, TabTurn, type TurnResult } from "./tab-turn.js";

/** Maximum milliseconds between a crash report and the process's exit. */
const crashReportMs = 5_000;

/**
 * Manages the agent of one tab: sessions, turns, the queue, crashes and restarts. Reports all results and failures in the transcript; no
 * method rejects.
 */
export class Conversation {
  readonly #link: SessionLink;
  readonly #steering: Steering;
  readonly queue: QueuedPrompts;
  /** Whether the queue waits for the user, after a stopped or failed turn. */
  #isHeld: boolean;
  #opening: Promise<LiveSession | undefined> | undefined;
  #attempt = 0;
  #turn: TabTurn | undefined;
  /** Set while a turn is being prepared, sent or finished. */
  #running: Promise<void> | undefined;
  /** Turn that runs in the host but wasn't started by this window. */
  #others: OthersTurn | undefined;
  /** Last crash, while its card is shown. */
  #crash: Crash | undefined;
  #report: AgentFailure | undefined;
  #restartTimer: ReturnType<typeof setTimeout> | undefined;
  #crashSeen: () => void = () => undefined;
  #isClosed = false;
  /** Whether the window or the tab has closed while the host keeps the turn. */
  #hasLeft = false;

  constructor(private readonly options: ConversationParts) {
    this.#isHeld = options.isQueueHeld ?? false;
    this.#link = new SessionLink(options, {
      crashed: (failure, restartMs) => this.#crashed(failure, restartMs),
      replaced: () => this.#replaced(),
      waiting: (count) => this.#turn?.setWaiting(count > 0),
      updated: (update) => this.#updated(update),
    });
    this.#steering = new Steering(options);
    this.queue = new QueuedPrompts(options.target, (messageId) => this.#steering.isAsking(messageId));
  }

  /** Whether a turn runs that the host keeps when the tab closes: its prompt was sent. */
  get isKeptByHost(): boolean {
    return this.configuration.isHosted === true && this.#turn?.wasSent === true;
  }

  get configuration(): AgentConfiguration {
    return this.options.agent.configuration;
  }

  /** Absolute paths of the session's folders. */
  get roots(): readonly string[] {
    return this.#link.roots;
  }

  /** Starts the agent, opens the session and sends waiting prompts. */
  async start(): Promise<void> {
    await this.#open(() => this.#link.open());
    this.#pump();
  }

  async restart(): Promise<void> {
    clearTimeout(this.#restartTimer);
    if (this.#turn) this.#isHeld = true;
    this.#opening = undefined;
    // Expect a failure of the turn's prompt, since the user has requested the restart.
    this.#crashSeen();
    await this.#open(() => this.#link.restart());
    this.#pump();
  }

  /** Sends a prompt, or handles it as {@link PromptTime} specifies if a turn is running. Ignores a prompt whose id is already known. */
  prompt(given: QueuedPrompt, when: PromptTime): void {
    const { all } = this.queue;
    const { byId } = this.options.target.transcript;
    if (byId.has(given.messageId) || all.some((one) => one.messageId === given.messageId)) return;
    const turn = this.#turn;
    if (when === "send" && this.#canSteer && turn) {
      this.queue.add(given, false);
      this.#steer(turn, given);
      return;
    }
    const prompt = when === "together" && turn && !turn.isCancelled ? this.#steering.together(turn, given) : given;
    // Add the new prompt in front of prompts that wait for the user.
    const isEdited = !turn && all.length > 0 && !this.queue.next;
    this.queue.add(prompt, when === "now" || when === "together" || this.#isHeld || isEdited);
    this.#go(when);
  }

  sendNow(messageId: string): void {
    const prompt = this.queue.find(messageId);
    if (!prompt) return;
    if (this.#canSteer && this.#turn) return this.#steer(this.#turn, prompt);
    this.queue.add(prompt, true);
    this.#go("now");
  }

  /** Sets the prompt that is being edited; undefined for none. */
  setEdited(messageId: string | undefined): void {
    this.queue.setEdited(messageId);
    this.#pump();
  }

  /** Repeats the last prompt before a card. */
  retry(cardId: string): void {
    const { items, byId } = this.options.target.transcript;
    const at = byId.get(cardId) ?? items.length;
    const prompt = items.slice(0, at).findLast((item) => item.kind === "user");
    const card = items[at];
    if (card?.kind === "notice") this.#put({ ...card, actions: card.actions.filter(({ id }) => id !== "retry") });
    if (prompt) this.again({ text: prompt.text, attachments: prompt.attachments });
  }

  /** Sends a prompt created by the extension, such as the user's comment on a rejection. */
  again(draft: Draft): void {
    this.prompt({ messageId: this.options.newId(), ...draft }, "send");
  }

  /** Stops the running turn; waiting prompts stay in the queue. */
  cancel(): void {
    if (!this.#turn) return;
    this.#isHeld = true;
    this.#stop(this.#turn);
  }

  /** Stops the sub-agent of a card; the turn continues. */
  stopSubagent(itemId: string): void {
    const child = childOfCard(itemId);
    if (child !== undefined) this.#link.live?.session.cancelChild(child);
  }

  async setOption(optionId: string, value: string | boolean): Promise<void> {
    const name = this.#link.options.view.find(({ id }) => id === optionId)?.name ?? optionId;
    const live = this.#link.live ?? (await this.#open(() => this.#link.open()));
    if (!live) return;
    try {
      await this.#link.options.change(live.agent.client, live.session.id, optionId, value);
    } catch (thrown) {
      this.#put(optionNotice(this.options.newId(), name, thrown));
    }
    this.#link.fold.publishOptions();
  }

  /** Returns the whole text of a shortened one; undefined if its agent is no longer known. */
  full(itemId: string, what: string): string | undefined {
    return this.#link.fold.full(itemId, what);
  }

  /** Returns the whole texts of a diff; undefined if its agent is no longer known. */
  edit(itemId: string, path: string): CallEdit | undefined {
    return this.#link.fold.edit(itemId, path);
  }

  /** Closes the session. In the host, a turn whose prompt was sent continues, unless `ends` is set. */
  async close(ends = false): Promise<void> {
    this.#end(!ends && this.isKeptByHost);
    await this.#link.close(ends);
  }

  /** Releases the session, which another conversation will open. */
  async release(): Promise<void> {
    this.#end();
    await this.#link.release();
  }

  /** Releases the agent without a message when the window closes. Its supervisor ends it, or the host keeps it. */
  detach(): void {
    this.#end(this.configuration.isHosted);
    this.#link.leave();
  }

  /** Ends the conversation. With `keepsTurn`, leaves a running turn to the host. */
  #end(keepsTurn = false): void {
    this.#isClosed = true;
    this.#hasLeft = keepsTurn;
    clearTimeout(this.#restartTimer);
    if (!keepsTurn) this.#turn?.cancel();
  }

  #updated(update: SessionUpdate): void {
    this.#steering.saw(update);
    // The update may belong to a turn of another client, or of this tab before its window was reloaded.
    const turn = hostTurnIn(update);
    if (!turn) return;
    this.#others = OthersTurn.next(this.#others, turn);
    this.#pump();
  }

  /** Whether prompts can be sent into the running turn. */
  get #canSteer(): boolean {
    return this.#turn?.isOpen === true && this.#turn.live.agent.initialized.canSteer;
  }

  #steer(turn: TabTurn, prompt: QueuedPrompt): void {
    void this.#steering.steer(turn, prompt).then(() => this.#pump());
  }

  #go(when: PromptTime): void {
    this.#isHeld = false;
    if ((when === "now" || when === "together") && this.#turn) this.#stop(this.#turn);
    if (this.#link.live) this.#pump();
    else void this.start();
  }

  /** Sends the next queued prompt if no turn is running. */
  #pump(): void {
    const session = this.#link.live;
    if (this.#running || !session || this.#isClosed) return;
    const others = this.#others;
    const next = others || this.#isHeld ? undefined : this.queue.next;
    const run = others ? this.#join(session, others.end) : next && this.#run(session, next);
    this.#running = run?.finally(() => {
      this.#running = undefined;
      if (this.#others === others) this.#others = undefined;
      this.#pump();
    });
  }

  async #run(session: LiveSession, prompt: QueuedPrompt): Promise<void> {
    const { target, observers, now, toBlocks } = this.options;
    const startedAt = now();
    const { messageId: id, text, attachments, branches } = prompt;
    const item = { kind: "user", id, text, attachments, sentAt: startedAt, ...(branches && { branches }) } as const;
    this.queue.remove(id);
    target.publish({ op: "put", item });
    this.#link.fold.turnStarted(text);
    await this.#follow(session, prompt, startedAt, async (turn) => {
      await observers.turnStarted(session.ability, id);
      const content = await promptContent(text, attachments, session.agent.initialized.accepts, toBlocks);
      return turn.run([...this.#link.prelude, ...content]);
    });
  }

  /** Shows a running turn that another client or window has sent, until `end`. */
  async #join(session: LiveSession, end: Promise<TurnResult>): Promise<void> {
    const { target, observers, now, newId } = this.options;
    const { id, text, attachments, sentAt } = latestPrompt(target.transcript) ?? {
      id: newId(),
      text: "",
      attachments: [],
    };
    await this.#follow(session, { messageId: id, text, attachments }, sentAt ?? now(), async (turn, crashed) => {
      const lost = crashed.then(() => Promise.reject(connectionEnded()));
      const result = turn.join(Promise.race([end, lost]));
      await observers.turnStarted(session.ability, id);
      return result;
    });
  }

  /** Manages a turn from its beginning to its end. */
  async #follow(session: LiveSession, prompt: QueuedPrompt, startedAt: number, send: SendTurn): Promise<void> {
    const { target, observers, now, newId, hooks } = this.options;
    const turn = (this.#turn = new TabTurn(session, prompt, now));
    this.#patch({ phase: "running", turnStartedAt: startedAt });
    this.#steering.turnStarted(turn);
    const result = await this.#result(session, turn, send);
    if (this.#hasLeft) return;
    const hasFailed = result.stopReason === "error" || result.stopReason === "interrupted";
    if (turn.wasSent && !hasFailed) this.#link.preludeRead();
    await this.#steering.turnEnded(result.stopReason);
    this.#turn = undefined;
    this.#link.fold.turnEnded(result.stopReason === "end_turn");
    target.publish({ op: "put", item: { kind: "turn-end", id: newId(), ...result, durationMs: turn.workedMs } });
    const { phase } = target.transcript.state;
    this.#patch({ turnStartedAt: null, ...(phase === "running" || phase === "stopping" ? { phase: "ready" } : {}) });
    hooks.turnEnded(result.stopReason);
    await observers.turnEnded(session.ability);
  }

  /** Returns the turn's result and shows failures. */
  async #result(session: LiveSession, turn: TabTurn, send: SendTurn, maySignIn = true): Promise<TurnResult> {
    const crashed = new Promise<void>((resolve) => (this.#crashSeen = resolve));
    try {
      return await send(turn, crashed);
    } catch (thrown) {
      if (this.#hasLeft) return { stopReason: "interrupted" };
      this.#report = thrown instanceof AgentRefusal ? thrown.failure : undefined;
      const mayBeCrash = thrown instanceof AgentRefusal && (this.#report !== undefined || !this.#link.live);
      if (mayBeCrash && (await isDoneWithin(crashed, crashReportMs))) return { stopReason: "interrupted" };
      if (maySignIn && isSignInRefusal(thrown) && (await this.#link.signIn(session.agent, thrown.message)))
        return this.#result(session, turn, send, false);
      this.#isHeld = true;
      this.#put(refusedNotice(this.options.newId(), session.ability.agent.name, thrown));
      return { stopReason: "error" };
    }
  }

  #stop(turn: TabTurn): void {
    if (turn.isCancelled) return;
    turn.cancel();
    this.#patch({ phase: "stopping" });
    const id = this.options.newId();
    const timer = setTimeout(() => {
      if (this.#turn === turn) this.#put(unstoppedNotice(id, this.#agentName));
    }, this.options.stopTimeoutMs ?? 10_000);
    void this.#running?.then(() => {
      clearTimeout(timer);
      this.#clear(id);
    });
  }

  /** Opens the session and shows the result. Concurrent calls share one attempt. */
  #open(open: () => Promise<LiveSession>): Promise<LiveSession | undefined> {
    this.#opening ??= this.#show(open, ++this.#attempt);
    return this.#opening;
  }

  /** Shows the outcome of opening a session, unless a later attempt has replaced this one. */
  async #show(open: () => Promise<LiveSession>, attempt: number): Promise<LiveSession | undefined> {
    const { target, newId } = this.options;
    const isObsolete = (): boolean => this.#isClosed || attempt !== this.#attempt;
    if (isObsolete()) return undefined;
    const hadItems = target.transcript.items.length > 0;
    this.#patch({ phase: this.#link.hasEarlierSession ? "restoring" : "starting" });
    try {
      const live = await open();
      if (isObsolete()) return undefined;
      // A prompt whose turn continues in the host would be answered twice if it were sent again.
      const crash = this.#crash && { ...this.#crash, hasEndedTurn: this.#crash.hasEndedTurn && live.hasTurn !== true };
      this.#crash = undefined;
      clearTimeout(this.#restartTimer);
      this.#clear(startNoticeId);
      if (crash) this.#put(restartedNotice(this.#agentName, crash, live.lost === undefined));
      else if (live.lost !== undefined && hadItems) this.#put(forgottenNotice(newId(), this.#agentName, live.lost));
      if (!this.#turn) this.#patch({ phase: "ready" });
      return live;
    } catch (thrown) {
      if (isObsolete()) return undefined;
      this.#clear(startNoticeId);
      this.#put(startNotice(this.#agentName, thrown));
      this.#patch({ phase: "failed" });
      return undefined;
    } finally {
      if (attempt === this.#attempt) this.#opening = undefined;
    }
  }

  #crashed(failure: AgentFailure, restartMs: number | undefined): void {
    clearTimeout(this.#restartTimer);
    const id = this.options.newId();
    this.#crash = { id, failure: this.#report ?? failure, hasEndedTurn: this.#turn !== undefined };
    this.#report = undefined;
    this.#isHeld = true;
    this.#put(crashNotice(id, this.#agentName, this.#crash.failure, restartMs !== undefined));
    this.#patch({ phase: restartMs === undefined ? "failed" : "restoring" });
    this.#crashSeen();
    if (restartMs !== undefined) this.#restartTimer = setTimeout(() => void this.start(), restartMs);
  }

  /** Handles the replacement of the agent by another tab's restart. The next prompt reopens the session. */
  #replaced(): void {
    if (!this.#turn) return;
    this.#isHeld = true;
    this.#put(replacedNotice(this.options.newId(), this.#agentName));
    this.#crashSeen();
  }

  get #agentName(): string {
    return this.options.agent.configuration.agentName;
  }

  #put(item: ItemOf<"notice">): void {
    this.options.target.publish({ op: "put", item });
  }

  #clear(noticeId: string): void {
    const { target } = this.options;
    if (target.transcript.byId.has(noticeId)) target.publish({ op: "remove", id: noticeId });
  }

  #patch(patch: { [Key in keyof TabState]?: TabState[Key] | null }): void {
    this.options.target.publish({ op: "tab", patch });
  }
}
