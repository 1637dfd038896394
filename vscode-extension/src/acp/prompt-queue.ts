import type { QueuedPrompt } from "../../protocol/index.js";

/** The prompts of a tab that wait for their turn. `changed` is called with the new list after each change. */
export class PromptQueue {
  #prompts: readonly QueuedPrompt[];
  /** The user has stopped a turn, or one failed: what waits is not sent by itself until the user sends something. */
  isHeld = false;

  constructor(
    prompts: readonly QueuedPrompt[],
    private readonly changed: (prompts: QueuedPrompt[]) => void,
  ) {
    this.#prompts = prompts;
  }

  has(messageId: string): boolean {
    return this.#prompts.some((prompt) => prompt.messageId === messageId);
  }

  push(prompt: QueuedPrompt): void {
    this.#set([...this.#prompts, prompt]);
  }

  /** Puts the prompt before all others; one that waits already moves there. */
  first(prompt: QueuedPrompt): void {
    this.#set([prompt, ...this.#without(prompt.messageId)]);
  }

  /** Moves a waiting prompt to the front. Returns false where it is not there any more. */
  moveFirst(messageId: string): boolean {
    const prompt = this.#prompts.find((one) => one.messageId === messageId);
    if (prompt) this.first(prompt);
    return prompt !== undefined;
  }

  edit(messageId: string, text: string): void {
    this.#set(this.#prompts.map((prompt) => (prompt.messageId === messageId ? { ...prompt, text } : prompt)));
  }

  remove(messageId: string): void {
    this.#set(this.#without(messageId));
  }

  /** The next prompt to send, taken out; undefined where none waits or the queue is held. */
  take(): QueuedPrompt | undefined {
    if (this.isHeld) return undefined;
    const [next, ...rest] = this.#prompts;
    if (next) this.#set(rest);
    return next;
  }

  #without(messageId: string): readonly QueuedPrompt[] {
    return this.#prompts.filter((prompt) => prompt.messageId !== messageId);
  }

  #set(prompts: readonly QueuedPrompt[]): void {
    this.#prompts = prompts;
    this.changed([...prompts]);
  }
}
