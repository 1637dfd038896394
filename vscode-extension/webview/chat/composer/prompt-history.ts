/** Prompts sent before, walked with Up and Down. The text that was being written comes back at the end of the walk. */
export class PromptHistory {
  #prompts: readonly string[] = [];
  #at: number | undefined;
  #unsent = "";

  /** Sets the prompts, the oldest first, unless they are being walked. Repetitions in a row count once. */
  set(prompts: readonly string[]): void {
    if (this.#at !== undefined) return;
    this.#prompts = prompts.filter((text, index) => text !== "" && text !== prompts[index - 1]);
  }

  get isWalking(): boolean {
    return this.#at !== undefined;
  }

  /** The prompt before the one shown, or undefined at the oldest. `current` is kept when the walk begins. */
  previous(current: string): string | undefined {
    const at = (this.#at ?? this.#prompts.length) - 1;
    const text = this.#prompts[at];
    if (text === undefined) return undefined;
    if (this.#at === undefined) this.#unsent = current;
    this.#at = at;
    return text;
  }

  /** The prompt after the one shown, at the end the text that was being written, or undefined outside of a walk. */
  next(): string | undefined {
    if (this.#at === undefined) return undefined;
    const text = this.#prompts[this.#at + 1];
    if (text !== undefined) {
      this.#at += 1;
      return text;
    }
    this.#at = undefined;
    return this.#unsent;
  }

  /** The user changed or sent what is shown: the walk is over. */
  leave(): void {
    this.#at = undefined;
  }
}
