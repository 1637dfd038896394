import { html, nothing, type PropertyValues } from "lit";
import type { QueuedPrompt } from "../../../protocol/index.js";
import { icon, LightElement } from "../../controls/element.js";
import { send } from "../send.js";

/** Prompts that wait for the running turn. Each can be edited (F2), removed (Delete) or sent at once (Ctrl+Enter). */
class PromptQueue extends LightElement {
  static override properties = {
    tabId: {},
    prompts: { attribute: false },
    steers: { attribute: false },
    editing: { state: true },
  };
  declare tabId: string;
  /** What is sent now goes into the running turn, which is not stopped. */
  declare steers: boolean;
  declare prompts: readonly QueuedPrompt[];
  /** The prompt being edited. */
  declare editing: string | undefined;

  constructor() {
    super();
    this.tabId = "";
    this.steers = false;
    this.prompts = [];
  }

  override render(): unknown {
    if (this.prompts.length === 0) return nothing;
    return html`<section class="queue" aria-label="Queued prompts">
      <h2 class="queue-title">Queued · ${this.prompts.length}</h2>
      <ol class="queue-list">
        ${this.prompts.map((prompt) => (prompt.messageId === this.editing ? this.#editor(prompt) : this.#row(prompt)))}
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
        <span class="queue-note">Going into the running turn…</span>
      </li>`;
    }
    return html`<li class="queue-row" @keydown=${(event: KeyboardEvent) => this.#onRowKey(event, messageId)}>
      <span class="queue-text" title=${text}>${text === "" ? "Attachments only" : text}${more}</span>
      ${note === undefined ? nothing : html`<span class="queue-note" title=${note}>${note}</span>`}
      ${this.#button("edit", "Edit", "F2", name, () => this.#edit(messageId))}
      ${this.#button("trash", "Remove", "Delete", name, () => this.#send("queue-remove", messageId))}
      ${this.#button("play", this.steers ? "Send into the running turn" : "Send now", "Control+Enter", name, () => this.#send("queue-send-now", messageId))}
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

  #editor({ messageId, text }: QueuedPrompt): unknown {
    return html`<li class="queue-row">
      <textarea
        class="control-input queue-editor"
        aria-label="Edit queued prompt"
        rows="2"
        .value=${text}
        @keydown=${(event: KeyboardEvent) => this.#onEditorKey(event, messageId)}
      ></textarea>
      <button
        type="button"
        class="control-icon"
        aria-label="Save queued prompt"
        title="Save (Enter)"
        @click=${() => this.#save(messageId)}
      >
        ${icon("check")}
      </button>
      <button
        type="button"
        class="control-icon"
        aria-label="Leave queued prompt as it was"
        title="Leave as it was (Escape)"
        @click=${() => this.#leave()}
      >
        ${icon("discard")}
      </button>
    </li>`;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("tabId")) this.editing = undefined;
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (!changed.has("editing") || this.editing === undefined) return;
    const field = this.querySelector("textarea");
    field?.focus();
    field?.setSelectionRange(field.value.length, field.value.length);
  }

  #edit(messageId: string): void {
    this.editing = messageId;
  }

  #save(messageId: string): void {
    const text = this.querySelector("textarea")?.value.trim();
    const prompt = this.prompts.find((one) => one.messageId === messageId);
    if (text === undefined || prompt === undefined) return;
    if (text !== prompt.text && (text !== "" || prompt.attachments.length > 0)) {
      send(this, { type: "queue-edit", tabId: this.tabId, messageId, text });
    }
    this.#leave();
  }

  #leave(): void {
    const at = this.prompts.findIndex(({ messageId }) => messageId === this.editing);
    this.editing = undefined;
    void this.updateComplete.then(() => this.#focusRow(at));
  }

  #focusRow(at: number): void {
    this.querySelectorAll<HTMLElement>(".queue-row").item(at).querySelector("button")?.focus();
  }

  #send(type: "queue-remove" | "queue-send-now", messageId: string): void {
    send(this, { type, tabId: this.tabId, messageId });
  }

  #onRowKey(event: KeyboardEvent, messageId: string): void {
    if (event.key === "F2") this.#edit(messageId);
    else if (event.key === "Delete") this.#send("queue-remove", messageId);
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.#send("queue-send-now", messageId);
    else return;
    event.preventDefault();
  }

  #onEditorKey(event: KeyboardEvent, messageId: string): void {
    if (event.isComposing) return;
    if (event.key === "Escape") this.#leave();
    else if (event.key === "Enter" && !event.shiftKey) this.#save(messageId);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

customElements.define("symposium-prompt-queue", PromptQueue);

declare global {
  interface HTMLElementTagNameMap {
    "symposium-prompt-queue": PromptQueue;
  }
}
