import * as l10n from "@vscode/l10n";
import { html, nothing, type PropertyValues } from "lit";
import { live } from "lit/directives/live.js";
import { repeat } from "lit/directives/repeat.js";
import type { PromptEdit, QueuedPrompt } from "../../../protocol/index.js";
import { icon, LightElement, iconButton } from "../../controls/element.js";
import { KeptFocus } from "../../controls/kept-focus.js";
import { send } from "../send-message.js";

/**
 * Queued prompts. Each can be edited (F2), removed (Delete) or sent at once (Ctrl+Enter). The owner stores the edited text: every change is
 * dispatched as `symposium-edit`.
 */
class PromptQueue extends LightElement {
  static override properties = {
    tabId: {},
    prompts: { attribute: false },
    steers: { attribute: false },
    edit: { attribute: false },
  };
  declare tabId: string;
  /** True if "send now" sends into the running turn instead of stopping it. */
  declare steers: boolean;
  declare prompts: readonly QueuedPrompt[];
  declare edit: PromptEdit | undefined;

  /**
   * Moves the focus after a user action. If a tab is restored while a prompt was being edited, the prompt's editor doesn't take the focus.
   */
  #focusNext: (() => void) | undefined;
  #edited: { readonly tabId: string; readonly messageId: string } | undefined;

  constructor() {
    super();
    new KeptFocus(this, ".queue-row");
    this.tabId = "";
    this.steers = false;
    this.prompts = [];
  }

  override render(): unknown {
    if (this.prompts.length === 0) return nothing;
    return html`<section class="queue" aria-label=${l10n.t("Queued prompts")}>
      <h2 class="queue-title">
        ${l10n.t("Queued · {0}", this.prompts.length)}${this.edit ? l10n.t(", waiting while you edit") : nothing}
      </h2>
      <ol class="queue-list">
        ${repeat(
          this.prompts,
          ({ messageId }) => messageId,
          (prompt) =>
            this.edit && this.edit.messageId === prompt.messageId && prompt.isSteering !== true
              ? this.#editor(this.edit)
              : this.#row(prompt),
        )}
      </ol>
    </section>`;
  }

  #row(prompt: QueuedPrompt): unknown {
    const { messageId, text, attachments, note } = prompt;
    const more = attachments.length === 0 ? "" : ` (+${attachments.length})`;
    const name = `${text.slice(0, 40)}${more}`;
    if (prompt.isSteering === true) {
      return html`<li class="queue-row">
        ${icon("loading", true)}<span class="queue-text" title=${text}>${text}${more}</span>
        <span class="queue-note">${l10n.t("Sending…")}</span>
      </li>`;
    }
    return html`<li class="queue-row" @keydown=${(event: KeyboardEvent) => this.#onRowKey(event, prompt)}>
      <span class="queue-text" title=${text}>${text === "" ? l10n.t("Attachments only") : text}${more}</span>
      ${note === undefined ? nothing : html`<span class="queue-note" title=${note}>${note}</span>`}
      ${this.#button("edit", l10n.t("Edit"), "F2", name, () => this.#begin(prompt))}
      ${this.#button("trash", l10n.t("Remove"), "Delete", name, () => this.#send("queue-remove", messageId))}
      ${this.#button("play", this.steers ? l10n.t("Send into the running turn") : l10n.t("Send now"), "Control+Enter", name, () => this.#send("queue-send-now", messageId))}
    </li>`;
  }

  #button(image: string, label: string, keys: string, name: string, run: () => void): unknown {
    return html`<button
      type="button"
      class="control-icon"
      aria-label="${label}: ${name}"
      aria-keyshortcuts=${keys}
      title="${label} (${keys.replace("Control", "Ctrl")})"
      @click=${run}
    >
      ${icon(image)}
    </button>`;
  }

  #editor(edit: PromptEdit): unknown {
    return html`<li class="queue-row">
      <textarea
        class="control-input queue-editor"
        aria-label=${l10n.t("Edit queued prompt")}
        rows="2"
        .value=${live(edit.text)}
        @input=${({ target }: Event) => this.#change({ ...edit, text: (target as HTMLTextAreaElement).value })}
        @keydown=${(event: KeyboardEvent) => this.#onEditorKey(event)}
      ></textarea>
      ${iconButton("check", l10n.t("Save queued prompt"), () => this.#end(true), { title: l10n.t("Save (Enter)") })}
      ${iconButton("discard", l10n.t("Cancel editing the queued prompt"), () => this.#end(false), { title: l10n.t("Cancel (Escape)") })}
    </li>`;
  }

  protected override updated(changed: PropertyValues<this>): void {
    this.#tellEdited();
    if (!changed.has("edit")) return;
    this.#focusNext?.();
    this.#focusNext = undefined;
  }

  /** Reports which prompt is being edited, so that the extension doesn't send the prompt during the edit. */
  #tellEdited(): void {
    const { tabId, edit, prompts } = this;
    const messageId = prompts.find((prompt) => prompt.messageId === edit?.messageId)?.messageId;
    const known = this.#edited;
    if (known?.messageId === messageId && (messageId === undefined || known?.tabId === tabId)) return;
    this.#edited = messageId === undefined ? undefined : { tabId, messageId };
    if (known && known.tabId !== this.#edited?.tabId) send(this, { type: "queue-editing", tabId: known.tabId });
    if (this.#edited) send(this, { type: "queue-editing", ...this.#edited });
  }

  #change(edit: PromptEdit | undefined): void {
    this.dispatchEvent(new CustomEvent("symposium-edit", { detail: edit, bubbles: true }));
  }

  #begin({ messageId, text }: QueuedPrompt): void {
    this.#save();
    this.#focusNext = () => {
      const field = this.querySelector("textarea");
      field?.focus();
      field?.setSelectionRange(field.value.length, field.value.length);
    };
    this.#change({ messageId, was: text, text });
  }

  #save(): void {
    const { edit, tabId } = this;
    const prompt = this.prompts.find(({ messageId }) => messageId === edit?.messageId);
    if (!edit || !prompt) return;
    const text = edit.text.trim();
    if (text === prompt.text || (text === "" && prompt.attachments.length === 0)) return;
    send(this, { type: "queue-edit", tabId, messageId: edit.messageId, text });
  }

  #end(isSaved: boolean): void {
    const at = this.prompts.findIndex(({ messageId }) => messageId === this.edit?.messageId);
    if (isSaved) this.#save();
    this.#focusNext = () => [...this.querySelectorAll(".queue-row")][at]?.querySelector("button")?.focus();
    this.#change(undefined);
  }

  #send(type: "queue-remove" | "queue-send-now", messageId: string): void {
    send(this, { type, tabId: this.tabId, messageId });
  }

  #onRowKey(event: KeyboardEvent, prompt: QueuedPrompt): void {
    // Ignore repeated keys, which were meant for only one row. Also ignore keys on a row that got the focus only because another row was
    // removed.
    if (event.repeat || event.target === event.currentTarget) return;
    const { messageId } = prompt;
    if (event.key === "F2") this.#begin(prompt);
    else if (event.key === "Delete") this.#send("queue-remove", messageId);
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.#send("queue-send-now", messageId);
    else return;
    event.preventDefault();
  }

  #onEditorKey(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Escape") this.#end(false);
    else if (event.key === "Enter" && !event.shiftKey) this.#end(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

customElements.define("symposium-prompt-queue", PromptQueue);

declare global {
  interface HTMLElementEventMap {
    "symposium-edit": CustomEvent<PromptEdit | undefined>;
  }
}
