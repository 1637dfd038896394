import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import type { Item, ItemOf } from "../../../protocol/index.js";
import { icon, LightElement } from "../../controls/element.js";
import type { Slices } from "../slices.js";
import type { Folds } from "../state/view-memory.js";

/** What elements of a transcript share. */
export interface ItemContext {
  readonly slices: Slices;
  readonly folds: Folds;
}

/** What every element for one item of a transcript has. Items are replaced, never changed. */
export abstract class ItemElement<Kind extends Item["kind"]> extends LightElement {
  static override properties: PropertyDeclarations = {
    item: { attribute: false },
    tabId: { attribute: false },
    context: { attribute: false },
  };
  declare item: ItemOf<Kind>;
  declare tabId: string;
  declare context: ItemContext;

  /** An id for a part of this item, unique in the page. */
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
