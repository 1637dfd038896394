import * as l10n from "@vscode/l10n";
import { html, nothing, type PropertyValues } from "lit";
import { live } from "lit/directives/live.js";
import type { Attachment, Command, ContextResult } from "../../../protocol/index.js";
import { listbox } from "../../controls/listbox.js";
import { LightElement } from "../../controls/element.js";
import { send } from "../send-message.js";
import { findHint, fitHeight, isAtEdge, PromptHistory, replaceTrigger, writeInto } from "./prompt-text.js";
import { type Suggestion, SuggestionMenu } from "./suggestion-menu.js";

/**
 * Growing text field for a prompt, with `@` and `/` menus, command hints and history. Dispatches `symposium-text` for every change and
 * `symposium-attach` for choices from the `@` menu. Ignores keys during IME composition.
 */
class PromptField extends LightElement {
  static override properties = {
    tabId: {},
    text: {},
    label: {},
    placeholder: {},
    commands: { attribute: false },
    prompts: { attribute: false },
    onKey: { attribute: false },
  };
  declare tabId: string;
  declare text: string;
  declare label: string;
  declare placeholder: string;
  declare commands: readonly Command[];
  declare prompts: readonly string[];
  /** Called for keys that the menus and the history ignore. Returns true if it handled the key. */
  declare onKey: (event: KeyboardEvent) => boolean;

  readonly #history = new PromptHistory();
  readonly #menu = new SuggestionMenu({
    ask: (queryId, text) => send(this, { type: "context-query", queryId, tabId: this.tabId, text }),
    changed: () => this.requestUpdate(),
  });
  #isComposing = false;

  constructor() {
    super();
    this.tabId = "";
    this.text = "";
    this.label = l10n.t("Prompt");
    this.placeholder = "";
    this.commands = [];
    this.prompts = [];
    this.onKey = () => false;
  }

  override focus(): void {
    this.#field?.focus();
  }

  write(text: string): void {
    const field = this.#field;
    if (field) writeInto(field, field.selectionStart, field.selectionEnd, text);
  }

  beginContext(): void {
    const field = this.#field;
    if (!field) return;
    const isAfterWord = /\S$/u.test(field.value.slice(0, field.selectionStart));
    this.write(isAfterWord ? " @" : "@");
  }

  showContextResults(queryId: string, results: readonly ContextResult[], note: string): void {
    this.#menu.receive(queryId, results, note);
  }

  reset(): void {
    this.#menu.close();
    this.#history.leave();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#menu.close();
  }

  override render(): unknown {
    const { text } = this;
    const { isOpen, lines, active } = this.#menu;
    const hint = findHint(text, this.commands);
    return html`${this.#popup()}
      <div class="prompt-field">
        <textarea
          class="prompt-text"
          dir="auto"
          rows="1"
          aria-label=${this.label}
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls=${isOpen ? "suggestions" : nothing}
          aria-activedescendant=${lines.length > 0 ? `suggestions-${active}` : nothing}
          aria-describedby=${hint === "" ? nothing : "prompt-hint"}
          placeholder=${this.placeholder}
          .value=${live(text)}
          @input=${() => this.#onInput()}
          @click=${() => this.#followCaret()}
          @keydown=${(event: KeyboardEvent) => this.#onKeyDown(event)}
          @keyup=${() => this.#followCaret()}
          @blur=${() => this.#menu.close()}
          @compositionstart=${() => (this.#isComposing = true)}
          @compositionend=${() => this.#endComposition()}
        ></textarea>
        ${
          hint === ""
            ? nothing
            : html`<div class="prompt-ghost" id="prompt-hint"><span aria-hidden="true">${text}</span>${hint}</div>`
        }
      </div>`;
  }

  #popup(): unknown {
    const { trigger, lines, active, isLoading, note } = this.#menu;
    if (trigger === undefined) return nothing;
    const label = trigger.kind === "context" ? l10n.t("Context") : l10n.t("Commands");
    if (lines.length > 0) {
      const onChoose = (index: number) => this.#choose(lines[index]);
      return html`<div class="popup ${trigger.kind === "command" ? "described" : ""}">
        ${listbox({ id: "suggestions", label, lines, active, onChoose })}
        ${note === "" ? nothing : html`<div class="popup-note" role="status">${note}</div>`}
      </div>`;
    }
    return html`<div class="popup" id="suggestions" role="listbox" aria-label=${label}>
      <div class="popup-empty" role="option" aria-disabled="true" aria-selected="false">
        ${isLoading ? l10n.t("Searching…") : l10n.t("Nothing fits “{0}”.", trigger.query)}
      </div>
    </div>`;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("tabId")) this.reset();
    if (changed.has("tabId") || changed.has("prompts")) this.#history.set(this.prompts);
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has("text") && this.#field) fitHeight(this.#field);
    this.querySelector(".popup .active")?.scrollIntoView({ block: "nearest" });
  }

  get #field(): HTMLTextAreaElement | null {
    return this.querySelector("textarea");
  }

  #change(text: string): void {
    this.text = text;
    this.dispatchEvent(new CustomEvent("symposium-text", { detail: text, bubbles: true }));
  }

  #onInput(): void {
    this.#history.leave();
    this.#change(this.#field?.value ?? "");
    this.#followCaret();
  }

  #followCaret(): void {
    const field = this.#field;
    if (!field || this.#isComposing) return;
    const isSelecting = field.selectionStart !== field.selectionEnd;
    this.#menu.update(isSelecting ? "" : field.value, field.selectionStart, this.commands);
  }

  /** Ends an IME composition with a delay, because some browsers then send the key that ended it again as an ordinary key. */
  #endComposition(): void {
    setTimeout(() => {
      this.#isComposing = false;
      this.#followCaret();
    });
  }

  #onKeyDown(event: KeyboardEvent): void {
    if (event.isComposing || this.#isComposing) return;
    if (!this.#menuKey(event) && !this.#historyKey(event) && !this.onKey(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  #menuKey(event: KeyboardEvent): boolean {
    if (!this.#menu.isOpen || hasModifier(event)) return false;
    if (event.key === "Escape") {
      this.#menu.dismiss();
      return true;
    }
    const line = this.#menu.lines[this.#menu.active];
    if ((event.key === "Enter" || event.key === "Tab") && !event.shiftKey && line !== undefined) {
      this.#choose(line);
      return true;
    }
    return this.#menu.move(event.key);
  }

  #historyKey(event: KeyboardEvent): boolean {
    const field = this.#field;
    if (!field || event.shiftKey || hasModifier(event)) return false;
    if (event.key === "ArrowUp" && (this.text === "" || this.#history.isWalking) && isAtEdge(field, "up")) {
      return this.#recall(this.#history.previous(this.text));
    }
    if (event.key === "ArrowDown" && isAtEdge(field, "down")) return this.#recall(this.#history.next());
    return false;
  }

  #recall(text: string | undefined): boolean {
    if (text === undefined) return false;
    this.#change(text);
    void this.updateComplete.then(() => this.#field?.setSelectionRange(text.length, text.length));
    return true;
  }

  #choose(line: Suggestion | undefined): void {
    const { trigger } = this.#menu;
    const field = this.#field;
    if (line === undefined || trigger === undefined || !field) return;
    const { choice } = line;
    const end = trigger.start + 1 + trigger.query.length;
    const by = "command" in choice ? `/${choice.command.name}` : `@${choice.attachment.label}`;
    const { text, caret } = replaceTrigger(field.value, trigger, by);
    this.#menu.close();
    writeInto(field, trigger.start, end, text.slice(trigger.start, text.length - (field.value.length - end)));
    field.setSelectionRange(caret, caret);
    if ("attachment" in choice) {
      const detail: Attachment = choice.attachment;
      this.dispatchEvent(new CustomEvent("symposium-attach", { detail, bubbles: true }));
    }
    this.#followCaret();
  }
}

function hasModifier({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey;
}

customElements.define("symposium-prompt-field", PromptField);

declare global {
  interface HTMLElementTagNameMap {
    "symposium-prompt-field": PromptField;
  }
  interface HTMLElementEventMap {
    "symposium-text": CustomEvent<string>;
    "symposium-attach": CustomEvent<Attachment>;
  }
}
