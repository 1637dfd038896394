import { LitElement } from "lit";

/**
 * An element whose content is part of the page: one style sheet, icons of the font, text that can be selected across
 * elements. Properties are declared in `static properties`, their types with `declare`.
 */
export class LightElement extends LitElement {
  protected override createRenderRoot(): HTMLElement {
    return this;
  }
}
