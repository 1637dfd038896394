import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import "../markdown/markdown-element.js";
import { ItemElement } from "./item-element.js";

/** A part of the agent's answer, as Markdown. */
export class SymposiumAnswer extends ItemElement<"text"> {
  static override properties: PropertyDeclarations = {
    ...ItemElement.properties,
    heading: { attribute: false },
    isGrowing: { attribute: false },
  };
  /** Heading of the answer, for its first part. */
  declare heading: string | undefined;
  /** The agent is writing it. */
  declare isGrowing: boolean;

  protected override render(): TemplateResult {
    return html`
      ${this.heading === undefined ? nothing : html`<h2 class="control-hidden">${this.heading}</h2>`}
      <symposium-markdown
        class=${this.isGrowing ? "markdown is-growing" : "markdown"}
        .slices=${this.context.slices}
        .text=${this.item.text}
      ></symposium-markdown>
    `;
  }
}

customElements.define("symposium-answer", SymposiumAnswer);
