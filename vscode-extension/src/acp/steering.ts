import * as l10n from "@vscode/l10n";
import { isDoneWithin, messageOf, stringOf, textOf } from "@symposium-dev/core";
import type { Attachment, QueuedPrompt } from "../../protocol/index.js";
import { quietNotice, quietNoticeId } from "./conversation-notices.js";
import { type ConversationParts, promptContent } from "./conversation-parts.js";
import type { SessionUpdate } from "./fold-target.js";
import type { TabTurn } from "./tab-turn.js";

/** Maximum silence of an agent after it accepted a steering message, before the user sees a notice. */
const defaultQuietMs = 60_000;

/** Maximum time that the agent may take to answer a steering message after the turn has ended. */
const defaultLateAnswerMs = 2_000;

const workKinds = new Set([
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
  "plan_update",
]);

const unread = l10n.t("The turn ended before the agent read this message.");

interface Said {
  readonly prompt: QueuedPrompt;
  /** Agent message that was streaming when the user's message was sent. */
  readonly messageId: string | undefined;
  /** True once the agent has accepted the message. */
  isIn: boolean;
  /**
   * True once the agent has done any work after the user's message was sent. The work can be reported before the agent accepts the message.
   */
  hasMoved: boolean;
  /** True once the agent has started another message or tool call, which shows that the model has read the message. */
  isRead: boolean;
}

/**
 * Sends user messages into a running turn. A message stays in the queue until the agent accepts it, and returns there if the turn ends
 * before the model can have read it.
 */
export class Steering {
  readonly #asking = new Set<string>();
  readonly #calls = new Set<string>();
  #turn: TabTurn | undefined;
  #messageId: string | undefined;
  #said: Said[] = [];
  /** Promise chain that sends messages in order, even if attached files are still being read for an earlier message. */
  #order: Promise<void> = Promise.resolve();
  #quietTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: ConversationParts) {}

  isAsking(messageId: string): boolean {
    return this.#asking.has(messageId);
  }

  /** Sends a queued prompt into `turn`. Resolves when the agent has answered; never rejects. */
  async steer(turn: TabTurn, prompt: QueuedPrompt): Promise<void> {
    const { messageId } = prompt;
    this.#asking.add(messageId);
    this.#change(messageId, { isSteering: true });
    const told = this.#order.then(() => this.#tell(turn, prompt));
    this.#order = told;
    await told;
    this.#asking.delete(messageId);
  }

  saw(update: SessionUpdate): void {
    const kind = textOf(update.sessionUpdate);
    // After a cancel, updates only finish work that had already started.
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

  turnStarted(turn: TabTurn): void {
    this.#turn = turn;
    this.#calls.clear();
    this.#messageId = undefined;
    this.#said = [];
  }

  /**
   * Waits briefly for pending answers to steering messages, then moves every message that the model can't have read to the front of the
   * queue.
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

  /** Returns one prompt that joins the prompt of a stopped turn, the messages accepted during the turn, and `prompt`. */
  together(turn: TabTurn, prompt: QueuedPrompt): QueuedPrompt {
    const parts = [turn.prompt, ...this.#said.filter(({ isIn }) => isIn).map((said) => said.prompt), prompt];
    // The joined prompt includes accepted messages, so they must not be queued again. Messages without an answer stay in the list.
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
      this.#change(messageId, {
        note: l10n.t("The agent didn't accept this message into its turn: {0}", messageOf(thrown)),
      });
    }
  }

  /** Stops waiting for an agent that doesn't answer, so that earlier and later messages don't hang. */
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

  #change(messageId: string, marks: Pick<QueuedPrompt, "isSteering" | "note">): void {
    const { target } = this.options;
    const queue = target.transcript.state.queue.map((one) => {
      const { isSteering: _isSteering, note: _note, ...prompt } = one;
      return one.messageId === messageId ? { ...prompt, ...marks } : one;
    });
    target.publish({ op: "tab", patch: { queue } });
  }
}
