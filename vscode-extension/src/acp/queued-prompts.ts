import type { QueuedPrompt } from "../../protocol/index.js";
import type { FoldTarget } from "./fold-target.js";

/** A tab's queue of prompts, stored in its state. */
export class QueuedPrompts {
  /** Id of the queued prompt that the user is editing. This prompt and later ones wait. */
  #edited: string | undefined;

  constructor(
    private readonly target: FoldTarget,
    /** Whether a prompt is being sent into the running turn. */
    private readonly isAsking: (messageId: string) => boolean,
  ) {}

  get all(): readonly QueuedPrompt[] {
    return this.target.transcript.state.queue;
  }

  /** Next prompt to send; undefined if the queue is empty or the user is editing the next prompt. */
  get next(): QueuedPrompt | undefined {
    const next = this.all.find(({ messageId }) => !this.isAsking(messageId));
    return next?.messageId === this.#edited ? undefined : next;
  }

  /** Returns a queued prompt, unless it is being sent into the turn. */
  find(messageId: string): QueuedPrompt | undefined {
    return this.isAsking(messageId) ? undefined : this.all.find((one) => one.messageId === messageId);
  }

  add(prompt: QueuedPrompt, isFirst: boolean): void {
    this.#set(isFirst ? [prompt, ...this.#without(prompt.messageId)] : [...this.all, prompt]);
  }

  setEdited(messageId: string | undefined): void {
    this.#edited = messageId;
  }

  /** Returns false if the prompt has left the queue or is being sent into the turn. */
  edit(messageId: string, text: string): boolean {
    const isThere = this.find(messageId) !== undefined;
    if (isThere) this.#set(this.all.map((one) => (one.messageId === messageId ? { ...one, text } : one)));
    return isThere;
  }

  remove(messageId: string): void {
    if (!this.isAsking(messageId)) this.#set(this.#without(messageId));
  }

  #without(messageId: string): readonly QueuedPrompt[] {
    return this.all.filter((one) => one.messageId !== messageId);
  }

  #set(queue: readonly QueuedPrompt[]): void {
    this.target.publish({ op: "tab", patch: { queue } });
  }
}
