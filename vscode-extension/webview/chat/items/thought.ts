import { html, type TemplateResult } from "lit";
import "../markdown/markdown-element.js";
import { Clock } from "./clock.js";
import { durationText } from "./duration.js";
import { foldable } from "./foldable.js";
import { ItemElement } from "./item-element.js";

/** A shorter thought has no time. */
const notableMs = 1_000;

/** What the agent thought: folded, with the time it took. */
export class SymposiumThought extends ItemElement<"thought"> {
  readonly #clock = new Clock(this, () => this.item.endedAt === undefined);

  protected override render(): TemplateResult {
    const { text, startedAt, endedAt } = this.item;
    const isOpen = this.isOpen("body", false);
    const isRunning = endedAt === undefined;
    const ms = (endedAt ?? Math.max(Date.now(), startedAt)) - startedAt;
    const time = durationText(ms);
    return foldable({
      isOpen,
      toggle: () => this.setOpen("body", !isOpen),
      id: this.partId("body"),
      className: isRunning ? "quiet is-running" : "quiet",
      head: html`<span class="fold-title ${isRunning ? "shimmer" : ""}"
        >${isRunning ? `Thinking… ${time}` : ms < notableMs ? "Thought" : `Thought for ${time}`}</span
      >`,
      body: () =>
        html`<symposium-markdown class="thought" .slices=${this.context.slices} .text=${text}></symposium-markdown>`,
    });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) this.#clock.hostConnected();
  }
}

customElements.define("symposium-thought", SymposiumThought);
