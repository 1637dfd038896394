import { html, type TemplateResult } from "lit";

/** A codicon. It is decoration: whatever it says stands in the text or label beside it too. */
export function icon(name: string, isSpinning = false): TemplateResult {
  return html`<span
    class="codicon codicon-${name}${isSpinning ? " codicon-modifier-spin" : ""}"
    aria-hidden="true"
  ></span>`;
}
