import { html, type TemplateResult } from "lit";
import { foldable } from "./foldable.js";
import { ItemElement } from "./item-element.js";

/** Something of the agent that there is no view for: its name, and folded all it said. */
export class SymposiumUnknown extends ItemElement<"unknown"> {
  protected override render(): TemplateResult {
    const isOpen = this.isOpen("body", false);
    return foldable({
      isOpen,
      toggle: () => this.setOpen("body", !isOpen),
      id: this.partId("body"),
      className: "quiet",
      head: html`<span class="fold-title">${this.item.label}</span>`,
      body: () => html`<pre class="plain-text" tabindex="0" aria-label=${this.item.label}>${this.item.json}</pre>`,
    });
  }
}

customElements.define("symposium-unknown", SymposiumUnknown);
