import type { Slices } from "../work/slices.js";
import { MarkdownView } from "./markdown-view.js";

/** Markdown that may grow: `<symposium-markdown .slices .text>`. Sends `symposium-shown` when all of it is there. */
export class SymposiumMarkdown extends HTMLElement {
  #slices: Slices | undefined;
  #view: MarkdownView | undefined;
  #text = "";

  set slices(slices: Slices) {
    if (slices === this.#slices) return;
    this.#slices = slices;
    this.#view?.stop();
    this.#view = new MarkdownView(this, slices, () => this.dispatchEvent(new CustomEvent("symposium-shown")));
    this.#show();
  }

  set text(text: string) {
    if (text === this.#text) return;
    this.#text = text;
    this.#show();
  }

  get text(): string {
    return this.#text;
  }

  /** False while some of the text is still to come in later slices. */
  get isDone(): boolean {
    return this.#view?.isDone ?? true;
  }

  connectedCallback(): void {
    this.classList.add("markdown");
    this.#view?.resume();
  }

  disconnectedCallback(): void {
    this.#view?.stop();
  }

  #show(): void {
    if (this.#text !== "") this.#view?.show(this.#text);
  }
}

customElements.define("symposium-markdown", SymposiumMarkdown);

declare global {
  interface HTMLElementTagNameMap {
    "symposium-markdown": SymposiumMarkdown;
  }
}
