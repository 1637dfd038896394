import { isDoneWithin, messageOf, stringOf, textOf } from "@symposium-dev/core";
import type { Attachment, QueuedPrompt } from "../../protocol/index.js";
import { quietNotice, quietNoticeId } from "./conversation-notices.js";
import { type ConversationParts, promptContent } from "./conversation-parts.js";
import type { SessionUpdate } from "./fold-target.js";
import type { TabTurn } from "./tab-turn.js";

/** How long an agent that took something may be silent before the user is told. */
const defaultQuietMs = 60_000;

/** How long after the end of a turn the agent may take to answer what it was told in it. */
const defaultLateAnswerMs = 2_000;

/** What an agent does about a prompt, so that it shows whether it goes on after something was said. */
const workKinds = new Set([
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
  "plan_update",
]);

const unread = "The turn ended before the agent read it.";

/** Something that is sent into the running turn. */
interface Said {
  readonly prompt: QueuedPrompt;
  /** The message that the agent was at then. */
  readonly messageId: string | undefined;
  /** The agent has taken it. */
  isIn: boolean;
  /** The agent has done anything since; what it does may be seen before its answer is. */
  hasMoved: boolean;
  /** It has begun another message or tool call since, so that the model has read it. */
  isRead: boolean;
}

/**
 * What the user says into a running turn. It waits in the queue until the agent has it; where the agent does not take it, or
 * the turn ends before the model can have read it, it waits there again.
 */
export class Steering {
  readonly #asking = new Set<string>();
  readonly #calls = new Set<string>();
  #turn: TabTurn | undefined;
  #messageId: string | undefined;
  #said: Said[] = [];
  /** They reach the agent in their order, also where one has files that are read first. */
  #order: Promise<void> = Promise.resolve();
  #quietTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: ConversationParts) {}

  /** Whether the agent is being told it, so that it must not be sent as a prompt. */
  isAsking(messageId: string): boolean {
    return this.#asking.has(messageId);
  }

  /** Says what waits in the queue into `turn`. Resolves when the agent has answered; never rejects. */
  async steer(turn: TabTurn, prompt: QueuedPrompt): Promise<void> {
    const { messageId } = prompt;
    this.#asking.add(messageId);
    this.#change(messageId, { isSteering: true });
    const told = this.#order.then(() => this.#tell(turn, prompt));
    this.#order = told;
    await told;
    this.#asking.delete(messageId);
  }

  /** One update of the session, as it came. */
  saw(update: SessionUpdate): void {
    const kind = textOf(update.sessionUpdate);
    // What comes after a stop is the end of what was begun.
    if (!workKinds.has(kind) || this.#turn?.isCancelled === true) return;
    if (this.#quietTimer !== undefined) this.#endQuiet();
    const isChunk = kind.endsWith("_chunk");
    const messageId = stringOf(update.messageId);
    const callId = kind === "tool_call" ? stringOf(update.toolCallId) : undefined;
    const isNewCall = callId !== undefined && !this.#calls.has(callId);
    for (const said of this.#said) {
      said.hasMoved = true;
      said.isRead ||= isNewCall || (isChunk && (messageId === undefined || messageId !== said.messageId));
    }
    if (callId !== undefined) this.#calls.add(callId);
    if (isChunk) this.#messageId = messageId;
  }

  /** A prompt has been sent. */
  turnStarted(turn: TabTurn): void {
    this.#turn = turn;
    this.#calls.clear();
    this.#messageId = undefined;
    this.#said = [];
  }

  /**
   * The agent has answered the prompt, and says in a moment what became of what it is being told. Afterwards what the model
   * cannot have read waits again, before all else.
   */
  async turnEnded(stopReason: string): Promise<void> {
    if (!(await isDoneWithin(this.#order, this.options.lateAnswerMs ?? defaultLateAnswerMs))) this.#giveUp();
    this.#turn = undefined;
    this.#endQuiet();
    const lost = this.#said.filter(
      ({ isIn, hasMoved, isRead }) => isIn && (stopReason === "end_turn" ? !hasMoved : !isRead),
    );
    this.#said = [];
    if (lost.length === 0) return;
    const { target } = this.options;
    for (const { prompt } of lost) target.publish({ op: "remove", id: prompt.messageId });
    const { queue } = target.transcript.state;
    target.publish({
      op: "tab",
      patch: { queue: [...lost.map(({ prompt }) => ({ ...prompt, note: unread })), ...queue] },
    });
  }

  /** What was asked in a turn that is stopped, and said into it, with `prompt`: as one prompt. */
  together(turn: TabTurn, prompt: QueuedPrompt): QueuedPrompt {
    const parts = [turn.prompt, ...this.#said.filter(({ isIn }) => isIn).map((said) => said.prompt), prompt];
    // It is sent again, read or not; what has no answer yet is told apart by that.
    this.#said = this.#said.filter(({ isIn }) => !isIn);
    const attachments: Attachment[] = [];
    for (const one of parts.flatMap((part) => part.attachments)) {
      if (!attachments.some((known) => JSON.stringify(known) === JSON.stringify(one))) attachments.push(one);
    }
    const texts = parts.map(({ text }) => text).filter((text) => text !== "");
    return { messageId: prompt.messageId, text: texts.join("\n\n"), attachments };
  }

  async #tell(turn: TabTurn, prompt: QueuedPrompt): Promise<void> {
    const { messageId, text, attachments } = prompt;
    const { session, agent } = turn.live;
    try {
      const content = await promptContent(text, attachments, agent.initialized.accepts, this.options.toBlocks);
      const said: Said = { prompt, messageId: this.#messageId, isIn: false, hasMoved: false, isRead: false };
      this.#said.push(said);
      said.isIn = turn.isOpen && (await session.steer(content));
      if (said.isIn && turn !== this.#turn) this.#change(messageId, { note: unread });
      else if (said.isIn) this.#isIn(said, turn);
      else this.#change(messageId, {});
    } catch (thrown) {
      this.#change(messageId, { note: `The agent did not take it into its turn: ${messageOf(thrown)}` });
    }
  }

  /** An agent that does not answer holds up neither what it was told nor what it is told later. */
  #giveUp(): void {
    this.#order = Promise.resolve();
    for (const messageId of this.#asking) this.#change(messageId, { note: unread });
    this.#asking.clear();
  }

  #isIn({ prompt, hasMoved }: Said, turn: TabTurn): void {
    const { target, now } = this.options;
    const { messageId: id, text, attachments } = prompt;
    const { queue } = target.transcript.state;
    target.publish({ op: "tab", patch: { queue: queue.filter((one) => one.messageId !== id) } });
    target.publish({ op: "put", item: { kind: "user", id, text, attachments, sentAt: now(), isSteered: true } });
    if (hasMoved) return;
    clearTimeout(this.#quietTimer);
    this.#quietTimer = setTimeout(() => this.#quiet(turn), this.options.quietMs ?? defaultQuietMs);
  }

  #quiet(turn: TabTurn): void {
    if (turn.isCancelled) return;
    this.options.target.publish({ op: "put", item: quietNotice(this.options.agent.configuration.agentName) });
  }

  #endQuiet(): void {
    clearTimeout(this.#quietTimer);
    this.#quietTimer = undefined;
    const { target } = this.options;
    if (target.transcript.byId.has(quietNoticeId)) target.publish({ op: "remove", id: quietNoticeId });
  }

  /** What a prompt that waits is marked with from now on. */
  #change(messageId: string, marks: Pick<QueuedPrompt, "isSteering" | "note">): void {
    const { target } = this.options;
    const queue = target.transcript.state.queue.map((one) => {
      const { isSteering: _isSteering, note: _note, ...prompt } = one;
      return one.messageId === messageId ? { ...prompt, ...marks } : one;
    });
    target.publish({ op: "tab", patch: { queue } });
  }
}
