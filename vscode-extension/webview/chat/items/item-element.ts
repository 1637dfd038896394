import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { Item, ItemOf } from "../../../protocol/index.js";
import { icon, LightElement } from "../../controls/element.js";
import type { Slices } from "../slices.js";
import type { Folds } from "../state/view-memory.js";

export interface ItemContext {
  readonly slices: Slices;
  readonly folds: Folds;
}

/** Base class for the elements of transcript items. Items are replaced, never mutated. */
export abstract class ItemElement<Kind extends Item["kind"]> extends LightElement {
  static override properties: PropertyDeclarations = {
    item: { attribute: false },
    tabId: { attribute: false },
    context: { attribute: false },
  };
  declare item: ItemOf<Kind>;
  declare tabId: string;
  declare context: ItemContext;

  protected partId(part: string): string {
    return `${this.item.kind}-${this.item.id}-${part}`.replace(/[^\w-]/gu, "_");
  }

  protected isOpen(part: string, byDefault: boolean): boolean {
    return this.context.folds.isOpen(`${this.tabId}/${this.item.id}/${part}`, byDefault);
  }

  protected setOpen(part: string, isOpen: boolean): void {
    this.context.folds.set(`${this.tabId}/${this.item.id}/${part}`, isOpen);
    this.requestUpdate();
  }
}

interface Foldable {
  readonly isOpen: boolean;
  readonly toggle: () => void;
  readonly id: string;
  readonly head: TemplateResult | string;
  readonly body: () => TemplateResult | typeof nothing;
  readonly className?: string;
}

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
