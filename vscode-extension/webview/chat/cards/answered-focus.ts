/**
 * Keeps a keyboard user where they are when a question is answered, and its buttons go: the focus moves to what stands
 * in their place, unless it has gone elsewhere meanwhile.
 */
export class AnsweredFocus {
  #wasInside = false;

  constructor(private readonly card: HTMLElement) {}

  /** To be called before the answer is sent, while the focus is still on the button. */
  note(): void {
    this.#wasInside = this.card.contains(document.activeElement);
  }

  /** To be called when the card shows the answer. */
  restore(): void {
    if (!this.#wasInside) return;
    this.#wasInside = false;
    if (!document.hasFocus()) return;
    const { activeElement } = document;
    if (activeElement !== null && activeElement !== document.body && !this.card.contains(activeElement)) return;
    const answer = this.card.querySelector<HTMLElement>(".answered");
    (answer?.querySelector("summary") ?? answer)?.focus();
  }
}
