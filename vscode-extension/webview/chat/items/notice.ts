import * as l10n from "@vscode/l10n";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { type Action, type ItemOf, severityNames } from "../../../protocol/index.js";
import { keyedRows } from "../../controls/keyed-rows.js";
import { icon, textButton } from "../../controls/element.js";
import "../markdown/markdown-element.js";
import { send } from "../send-message.js";
import { ItemElement } from "./item-element.js";

const icons: Readonly<Record<ItemOf<"notice">["severity"], string>> = {
  info: "info",
  success: "pass-filled",
  warning: "warning",
  error: "error",
};

class SymposiumNotice extends ItemElement<"notice"> {
  static override properties: PropertyDeclarations = { ...ItemElement.properties, pressed: { state: true } };
  declare private pressed: { readonly actionId: string; readonly item: ItemOf<"notice"> } | undefined;

  protected override render(): TemplateResult {
    const { severity, title, text, details, actions, progress } = this.item;
    return html`
      <div
        class="notice"
        data-severity=${severity}
        role=${severity === "error" ? "alert" : "group"}
        aria-label=${title}
      >
        ${progress === undefined ? icon(icons[severity]) : icon("loading", true)}
        <div class="notice-content">
          <p class="notice-title" dir="auto">
            <span class="control-hidden">${severityNames[severity]}: </span>${title}
          </p>
          ${
            text === undefined
              ? nothing
              : html`<symposium-markdown .slices=${this.context.slices} .text=${text}></symposium-markdown>`
          }
          ${progress?.percent === undefined ? nothing : progressBar(title, progress.percent)}
          ${details === undefined ? nothing : this.#details(details)}
          ${
            actions.length === 0
              ? nothing
              : html`<div class="notice-actions">
                  ${keyedRows(
                    actions,
                    ({ id }) => id,
                    (action) => this.#button(action),
                  )}
                </div>`
          }
        </div>
      </div>
    `;
  }

  #details(details: string): TemplateResult {
    const isOpen = this.isOpen("details", false);
    const id = this.partId("details");
    return html`
      ${textButton(isOpen ? l10n.t("Hide details") : l10n.t("Show details"), () => this.setOpen("details", !isOpen), {
        look: "link",
        isExpanded: isOpen,
      })}
      ${isOpen ? html`<pre id=${id} class="plain-text" tabindex="0">${details}</pre>` : nothing}
    `;
  }

  #button({ id, label, style = "secondary", isDisabled = false }: Action): TemplateResult {
    const isPressed = this.pressed?.item === this.item && this.pressed.actionId === id;
    return html`<button
      type="button"
      class="control-button ${style}"
      ?disabled=${isDisabled || isPressed}
      aria-busy=${isPressed ? "true" : nothing}
      @click=${() => this.#press(id)}
    >
      ${isPressed ? icon("loading", true) : nothing}${label}
    </button>`;
  }

  #press(actionId: string): void {
    this.pressed = { actionId, item: this.item };
    send(this, { type: "action", tabId: this.tabId, itemId: this.item.id, actionId });
  }
}

function progressBar(label: string, percent: number): TemplateResult {
  const value = Math.min(100, Math.max(0, percent));
  return html`<progress max="100" value=${value} aria-label=${label}></progress>`;
}

customElements.define("symposium-notice", SymposiumNotice);
