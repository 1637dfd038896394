import { html, LitElement, type TemplateResult } from "lit";

/**
 * Base element without a shadow root, so that styles, icon font and text selection are shared with the page. Properties are declared in
 * `static properties`, their types with `declare`.
 */
export class LightElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}

/** Returns a codicon. The icon is decorative: the text or label next to it must have the same meaning. */
export function icon(name: string, isSpinning = false): TemplateResult {
  return html`<span
    class="codicon codicon-${name}${isSpinning ? " codicon-modifier-spin" : ""}"
    aria-hidden="true"
  ></span>`;
}

export function iconButton(name: string, label: string, press: () => void): TemplateResult {
  return html`<button type="button" class="control-icon" aria-label=${label} title=${label} @click=${press}>
    ${icon(name)}
  </button>`;
}
