import * as l10n from "@vscode/l10n";
import { go } from "fuzzysort";
import { html, nothing, type PropertyValues } from "lit";
import { icon, LightElement } from "./element.js";
import { listbox, type ListLine, nextIndex } from "./listbox.js";

export interface PickerChoice {
  readonly value: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly group?: string | undefined;
}

/** Minimum number of choices for a search field. */
const searchedFrom = 13;

/**
 * Button that opens a list of choices above the nearest positioned ancestor. Dispatches `symposium-pick` with the chosen value; the owner
 * must then set the picker's value.
 */
class Picker extends LightElement {
  static override properties = {
    name: {},
    label: {},
    icon: {},
    value: {},
    choices: { attribute: false },
    /** Reason why nothing can be chosen now; empty if the picker is active. */
    blockedBy: {},
    isOpen: { state: true },
    query: { state: true },
    active: { state: true },
  };
  /** Prefix for the ids of the picker's parts. Unique in the page. */
  declare name: string;
  declare label: string;
  declare icon: string;
  declare value: string;
  declare choices: readonly PickerChoice[];
  declare blockedBy: string;
  declare isOpen: boolean;
  declare query: string;
  declare active: number;

  constructor() {
    super();
    this.name = "picker";
    this.label = "";
    this.icon = "";
    this.value = "";
    this.choices = [];
    this.blockedBy = "";
    this.isOpen = false;
    this.query = "";
    this.active = 0;
  }

  override render(): unknown {
    const chosen = this.choices.find(({ value }) => value === this.value);
    const text = chosen?.name ?? (this.value === "" ? this.label : this.value);
    const isBlocked = this.blockedBy !== "";
    const title = isBlocked
      ? this.blockedBy
      : [`${this.label}: ${text}`, chosen?.description].filter(Boolean).join("\n");
    return html`<button
        type="button"
        class="picker-button"
        aria-haspopup="listbox"
        aria-expanded=${this.isOpen}
        aria-disabled=${isBlocked ? "true" : nothing}
        aria-label="${this.label}: ${text}"
        title=${title}
        @click=${() => (this.isOpen ? this.close() : this.#open())}
        @keydown=${(event: KeyboardEvent) => this.#onButtonKey(event)}
      >
        ${this.icon === "" ? nothing : icon(this.icon)}<span class="picker-text">${text}</span>${icon("chevron-down")}
      </button>
      ${this.isOpen ? this.#popup() : nothing}`;
  }

  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.querySelector("button")?.focus();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get("choices");
    if (before === undefined || !this.isOpen) return;
    // Keep the mark on the same value even if the choices have changed, because Enter must choose the marked value.
    const marked = this.#shown(before)[this.active]?.value;
    const at = this.#shown().findIndex(({ value }) => value === marked);
    this.active = Math.max(0, at);
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (!this.isOpen) return;
    if (changed.has("isOpen")) this.querySelector<HTMLElement>(".picker-search, .listbox")?.focus();
    if (changed.has("isOpen") || changed.has("active") || changed.has("query"))
      this.querySelector(".listbox-option.active")?.scrollIntoView({ block: "nearest" });
  }

  #popup(): unknown {
    const id = `${this.name}-list`;
    const shown = this.#shown();
    const lines = shown.map((choice): ListLine => ({
      label: choice.name,
      icon: choice.value === this.value ? "check" : "blank",
      detail: choice.description ?? "",
      group: this.query === "" ? (choice.group ?? "") : "",
      isSelected: choice.value === this.value,
    }));
    const isSearched = this.choices.length >= searchedFrom;
    return html`<div
      class="popup described"
      @keydown=${(event: KeyboardEvent) => this.#onKey(event)}
      @focusout=${(event: FocusEvent) => this.#onFocusOut(event)}
    >
      ${
        isSearched
          ? html`<input
              class="control-input picker-search"
              type="text"
              role="combobox"
              aria-expanded="true"
              aria-autocomplete="list"
              aria-controls=${id}
              aria-activedescendant=${lines.length > 0 ? `${id}-${this.active}` : nothing}
              aria-label=${l10n.t("Search: {0}", this.label)}
              placeholder=${l10n.t("Search")}
              .value=${this.query}
              @input=${(event: InputEvent) => this.#search(event)}
            />`
          : nothing
      }
      ${
        lines.length === 0
          ? html`<div class="popup-empty" role="status">${l10n.t("Nothing fits “{0}”.", this.query)}</div>`
          : listbox({
              id,
              label: this.label,
              lines,
              active: this.active,
              isFocusable: !isSearched,
              onChoose: (index) => this.#choose(shown[index]),
            })
      }
    </div>`;
  }

  #shown(choices = this.choices): readonly PickerChoice[] {
    if (this.query === "") return choices;
    const keys = ["name", "value", (choice: PickerChoice) => choice.description ?? ""];
    return go(this.query, choices, { keys, limit: 100, threshold: 0.3 }).map(({ obj }) => obj);
  }

  #open(): void {
    if (this.blockedBy !== "" || this.choices.length === 0) return;
    this.query = "";
    this.active = Math.max(
      0,
      this.choices.findIndex(({ value }) => value === this.value),
    );
    this.isOpen = true;
  }

  #search(event: InputEvent): void {
    if (event.target instanceof HTMLInputElement) this.query = event.target.value;
    this.active = 0;
  }

  #choose(choice: PickerChoice | undefined): void {
    if (choice === undefined) return;
    this.close();
    if (choice.value === this.value) return;
    this.dispatchEvent(new CustomEvent("symposium-pick", { detail: choice.value, bubbles: true }));
  }

  #onButtonKey(event: KeyboardEvent): void {
    if (this.isOpen || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    this.#open();
  }

  #onKey(event: KeyboardEvent): void {
    if (event.isComposing) return;
    const shown = this.#shown();
    if (event.key === "Escape") this.close();
    else if (event.key === "Enter" || event.key === "Tab") this.#choose(shown[this.active]);
    else {
      const isTyped = event.target instanceof HTMLInputElement;
      const at =
        isTyped && (event.key === "Home" || event.key === "End")
          ? undefined
          : (nextIndex(event.key, this.active, shown.length) ?? (isTyped ? undefined : this.#startingWith(event)));
      if (at === undefined) return;
      this.active = at;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #startingWith(event: KeyboardEvent): number | undefined {
    if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return undefined;
    const count = this.choices.length;
    for (let step = 1; step <= count; step += 1) {
      const at = (this.active + step) % count;
      if (this.choices[at]?.name.toLowerCase().startsWith(event.key.toLowerCase()) === true) return at;
    }
    return undefined;
  }

  #onFocusOut(event: FocusEvent): void {
    const to = event.relatedTarget;
    if (!(to instanceof Node && this.contains(to))) this.isOpen = false;
  }
}

customElements.define("symposium-picker", Picker);

declare global {
  interface HTMLElementEventMap {
    "symposium-pick": CustomEvent<string>;
  }
}
