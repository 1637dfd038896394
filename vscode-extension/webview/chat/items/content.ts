import { html, type TemplateResult } from "lit";
import { contentBlock } from "./content-block.js";
import { ItemElement } from "./item-element.js";

/** A part of the answer that is no text. */
export class SymposiumContent extends ItemElement<"content"> {
  protected override render(): TemplateResult {
    return html`<div class="content-block">${contentBlock(this.item.block, this.context, this)}</div>`;
  }
}

customElements.define("symposium-content", SymposiumContent);
