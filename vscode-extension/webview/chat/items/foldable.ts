import { html, nothing, type TemplateResult } from "lit";
import { icon } from "../../controls/icon.js";

export interface Foldable {
  readonly isOpen: boolean;
  readonly toggle: () => void;
  /** Id of what is folded; unique in the page. */
  readonly id: string;
  readonly head: TemplateResult | string;
  /** Called only while it is open. */
  readonly body: () => TemplateResult | typeof nothing;
  readonly className?: string;
}

/** A head line with a button that shows and hides a body. */
export function foldable({ isOpen, toggle, id, head, body, className = "" }: Foldable): TemplateResult {
  return html`
    <button
      type="button"
      class="fold-head ${className}"
      aria-expanded=${isOpen ? "true" : "false"}
      aria-controls=${isOpen ? id : nothing}
      @click=${toggle}
    >
      ${icon("chevron-right")}${head}
    </button>
    ${isOpen ? html`<div class="fold-body" id=${id}>${body()}</div>` : nothing}
  `;
}
