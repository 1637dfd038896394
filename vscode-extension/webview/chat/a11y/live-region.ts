const pauseMs = 1_500;
const longest = 1_000;

/** A polite live region that takes what is said in the order it came, with a pause between: a reader keeps up. */
export class LiveRegion {
  readonly element: HTMLElement;
  #waiting: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(document: Document) {
    this.element = document.createElement("div");
    this.element.className = "control-hidden";
    this.element.setAttribute("role", "status");
    this.element.setAttribute("aria-live", "polite");
  }

  say(sentences: readonly string[]): void {
    if (sentences.length === 0) return;
    this.#waiting.push(...sentences);
    this.#timer ??= setTimeout(() => this.#next(), 0);
  }

  #next(): void {
    const text = this.#waiting.join(" ");
    this.#waiting = [];
    if (text === "") {
      this.#timer = undefined;
      return;
    }
    this.element.textContent = text.length > longest ? `${text.slice(0, longest)}…` : text;
    this.#timer = setTimeout(() => this.#next(), pauseMs);
  }
}
