import * as l10n from "@vscode/l10n";
import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import type { ConfigOption, TabState } from "../../../protocol/index.js";
import { LightElement, iconButton } from "../../controls/element.js";
import "../../controls/picker.js";
import { send } from "../send-message.js";

const categories = ["mode", "model", "thought_level"];
/** Matches a window that is too low for the row of pickers. */
const lowWindow = matchMedia("(max-height: 400px)");
const icons: Readonly<Record<string, string>> = { thought_level: "lightbulb-empty" };

/** Pickers for the agent's mode, model and thought level. A panel contains the other options, or all of them in a low window. */
class OptionBar extends LightElement {
  static override properties = { tabId: {}, state: { attribute: false }, isMoreOpen: { state: true } };
  declare tabId: string;
  declare state: TabState | undefined;
  declare isMoreOpen: boolean;

  constructor() {
    super();
    this.tabId = "";
    this.isMoreOpen = false;
  }

  override render(): unknown {
    const options = this.state?.options ?? [];
    const main = options
      .filter((option) => isPicker(option))
      .sort((a, b) => categories.indexOf(a.category ?? "") - categories.indexOf(b.category ?? ""));
    const rest = options.filter((option) => !isPicker(option));
    return html`${main.map((option) => this.#picker(option))}${rest.length === 0 ? nothing : this.#more(rest)}`;
  }

  #picker(option: ConfigOption): unknown {
    return html`<symposium-picker
      name="option-${this.#indexOf(option)}"
      .label=${option.name}
      .icon=${icons[option.category ?? ""] ?? ""}
      .value=${String(option.value)}
      .choices=${option.choices ?? []}
      .blockedBy=${this.#blockedBy()}
      @symposium-pick=${(event: CustomEvent<string>) => this.#set(option.id, event.detail)}
    ></symposium-picker>`;
  }

  #more(options: readonly ConfigOption[]): unknown {
    const label = lowWindow.matches ? l10n.t("Agent options") : l10n.t("More agent options");
    return html`<span class="more" @keydown=${(event: KeyboardEvent) => this.#onKey(event)}>
      ${iconButton("settings", label, () => (this.isMoreOpen = !this.isMoreOpen), {
        look: "more-button",
        isExpanded: this.isMoreOpen,
      })}
      ${
        this.isMoreOpen
          ? html`<div class="popup more-panel" role="group" aria-label=${l10n.t("Agent options")}>
              ${options.map((option) => this.#field(option))}
            </div>`
          : nothing
      }
    </span>`;
  }

  #field(option: ConfigOption): unknown {
    const id = `option-${this.#indexOf(option)}`;
    const note = option.description
      ? html`<div class="control-note" id="${id}-note">${option.description}</div>`
      : nothing;
    const described = option.description ? `${id}-note` : nothing;
    const blockedBy = this.#blockedBy();
    if (option.choices === undefined) {
      return html`<div class="more-field switch" title=${blockedBy}>
        <input
          class="control-check"
          type="checkbox"
          role="switch"
          id=${id}
          aria-describedby=${described}
          .checked=${live(option.value === true)}
          ?disabled=${blockedBy !== ""}
          @change=${(event: Event) => this.#set(option.id, event.target instanceof HTMLInputElement && event.target.checked)}
        />
        <div><label for=${id}>${option.name}</label>${note}</div>
      </div>`;
    }
    return html`<div class="more-field" title=${blockedBy}>
      <label for=${id}>${option.name}</label>
      <select
        class="control-select"
        id=${id}
        aria-describedby=${described}
        ?disabled=${blockedBy !== ""}
        @change=${(event: Event) => {
          if (event.target instanceof HTMLSelectElement) this.#set(option.id, event.target.value);
        }}
      >
        ${option.choices.map(
          ({ value, name, description, group }) =>
            html`<option value=${value} title=${description ?? nothing} .selected=${live(value === option.value)}>
              ${group === undefined ? name : `${group}: ${name}`}
            </option>`,
        )}
      </select>
      ${note}
    </div>`;
  }

  #blockedBy(): string {
    const { state } = this;
    if (state?.phase === "starting") return l10n.t("{0} is still starting.", state.agentName);
    if (state?.phase === "restoring") return l10n.t("The session is being restored.");
    if (state?.phase === "failed") return l10n.t("{0} is not running.", state.agentName);
    return "";
  }

  #indexOf(option: ConfigOption): number {
    return this.state?.options.indexOf(option) ?? 0;
  }

  #set(optionId: string, value: string | boolean): void {
    send(this, { type: "set-option", tabId: this.tabId, optionId, value });
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key !== "Escape" || !this.isMoreOpen || event.isComposing) return;
    this.isMoreOpen = false;
    this.querySelector<HTMLElement>(".more-button")?.focus();
    event.preventDefault();
    event.stopPropagation();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener("pointerdown", this.#closeOutside);
    document.addEventListener("focusin", this.#closeOutside);
    lowWindow.addEventListener("change", this.#redraw);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener("pointerdown", this.#closeOutside);
    document.removeEventListener("focusin", this.#closeOutside);
    lowWindow.removeEventListener("change", this.#redraw);
  }

  readonly #redraw = (): void => this.requestUpdate();

  readonly #closeOutside = (event: Event): void => {
    const more = this.querySelector(".more");
    if (event.target instanceof Node && more?.contains(event.target) !== true) this.isMoreOpen = false;
  };
}

function isPicker({ category, choices }: ConfigOption): boolean {
  return !lowWindow.matches && choices !== undefined && categories.includes(category ?? "");
}

customElements.define("symposium-option-bar", OptionBar);
