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

/** A button that shows an icon only. */
export function iconButton(name: string, label: string, press: () => void): TemplateResult {
  return html`<button type="button" class="control-icon" aria-label=${label} title=${label} @click=${press}>
    ${icon(name)}
  </button>`;
}
