import { html, LitElement, nothing, type TemplateResult } from "lit";

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

interface ButtonOptions {
  /** Additional class, for example `secondary` or `link`. */
  readonly look?: string;
  readonly title?: string;
  readonly isDisabled?: boolean;
  /** Marks a button as disabled that keeps the focus; its `press` must then do nothing. */
  readonly isBlocked?: boolean | undefined;
  /** Whether the button's content is open, for buttons that open and close something. */
  readonly isExpanded?: boolean;
}

/** Returns a button with an icon only. `label` is the accessible name, and the tooltip unless `title` is another one. */
export function iconButton(
  name: string,
  label: string,
  press: () => unknown,
  options: ButtonOptions = {},
): TemplateResult {
  return button("control-icon", icon(name), press, { title: label, ...options, label });
}

/** Returns a button with a text; `label` is its accessible name if the text alone is ambiguous. */
export function textButton(
  text: unknown,
  press: () => unknown,
  { icon: image, ...options }: ButtonOptions & { readonly icon?: string; readonly label?: string } = {},
): TemplateResult {
  const content = image === undefined ? text : html`${icon(image)}<span>${text}</span>`;
  return button("control-button", content, press, options);
}

function button(
  kind: string,
  content: unknown,
  press: () => unknown,
  { look = "", label, title, isDisabled = false, isBlocked, isExpanded }: ButtonOptions & { readonly label?: string },
): TemplateResult {
  return html`<button
    type="button"
    class="${kind} ${look}"
    aria-label=${label ?? nothing}
    title=${title ?? nothing}
    aria-disabled=${isBlocked ?? nothing}
    aria-expanded=${isExpanded ?? nothing}
    ?disabled=${isDisabled}
    @click=${press}
  >
    ${content}
  </button>`;
}

declare global {
  interface HTMLElementEventMap {
    "symposium-ask": CustomEvent<object>;
  }
}

/** Asks the page to send a message to the extension; `element` is any element of the page. */
export function ask(element: EventTarget, message: object): void {
  element.dispatchEvent(new CustomEvent("symposium-ask", { detail: message, bubbles: true, composed: true }));
}
