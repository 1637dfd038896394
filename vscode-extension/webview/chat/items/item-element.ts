import type { PropertyDeclarations } from "lit";
import type { Item, ItemOf } from "../../../protocol/index.js";
import { LightElement } from "../light-element.js";
import type { ItemContext } from "./item-context.js";

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
