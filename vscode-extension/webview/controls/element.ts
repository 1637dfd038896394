import { html, LitElement, type TemplateResult } from "lit";

/**
 * An element whose content is part of the page: one style sheet, icons of the font, text that can be selected across
 * elements. Properties are declared in `static properties`, their types with `declare`.
 */
export class LightElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}

/** A codicon. It is decoration: whatever it says stands in the text or label beside it too. */
export function icon(name: string, isSpinning = false): TemplateResult {
  return html`<span
    class="codicon codicon-${name}${isSpinning ? " codicon-modifier-spin" : ""}"
    aria-hidden="true"
  ></span>`;
}
