import * as l10n from "@vscode/l10n";
import { html, nothing, type PropertyValues } from "lit";
import { live } from "lit/directives/live.js";
import { repeat } from "lit/directives/repeat.js";
import type { ExtensionEntry } from "../../protocol/settings.js";
import { icon, LightElement, iconButton } from "../controls/element.js";
import { ask, rowState, updateButton } from "./row-parts.js";

/** Time in milliseconds after an action of the user in which answers to earlier actions don't revert it. */
const answeredAfterMs = 1_500;

/**
 * Extensions in chain order, moved by dragging or with the arrow keys on the handle. A move is shown at once, until the extension confirms
 * the order.
 */
class ExtensionList extends LightElement {
  static override properties = {
    extensions: { attribute: false },
    order: { state: true },
    said: { state: true },
    dragged: { state: true },
  };
  declare extensions: readonly ExtensionEntry[];
  declare order: readonly string[];
  declare said: string;
  declare dragged: string | undefined;
  #settling: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.extensions = [];
    this.order = [];
    this.said = "";
  }

  override render(): unknown {
    const byId = new Map(this.extensions.map((extension) => [extension.id, extension]));
    const rows = this.order.flatMap((id) => byId.get(id) ?? []);
    return html`<ol class="rows">
        ${repeat(
          rows,
          ({ id }) => id,
          (extension) => this.#row(extension),
        )}
      </ol>
      ${rows.length === 0 ? html`<p>${l10n.t("No extensions. The agent runs unmodified.")}</p>` : nothing}
      <div class="control-hidden" role="status">${this.said}</div>`;
  }

  #row(extension: ExtensionEntry): unknown {
    const { id, name, version, description } = extension;
    return html`<li
      class="row ${this.dragged === id ? "dragged" : ""}"
      @dragover=${(event: DragEvent) => this.#onDragOver(event, id)}
      @drop=${(event: DragEvent) => this.#onDrop(event)}
    >
      <div class="row-head">
        <button
          type="button"
          class="control-icon row-handle"
          draggable="true"
          id="handle-${id}"
          aria-label=${l10n.t("Move {0}", name)}
          aria-keyshortcuts="ArrowUp ArrowDown"
          title=${l10n.t("Drag, or move with the arrow keys")}
          @keydown=${(event: KeyboardEvent) => this.#onKey(event, extension)}
          @dragstart=${(event: DragEvent) => this.#onDragStart(event, id)}
          @dragend=${() => this.#onDragEnd()}
        >
          ${icon("gripper")}
        </button>
        <input
          class="control-check"
          type="checkbox"
          id="extension-${id}"
          .checked=${live(extension.isEnabled)}
          @change=${(event: Event) => this.#toggle(event, id)}
        />
        <label class="row-name" for="extension-${id}">${name}</label>
        ${version === undefined ? nothing : html`<span class="control-note">${version}</span>`}
        <span class="row-actions">
          ${updateButton(extension, () => ask(this, { type: "update", kind: "extension", id }))}
          ${iconButton("trash", l10n.t("Delete {0}", name), () => ask(this, { type: "delete-extension", id }))}
        </span>
      </div>
      ${description === undefined ? nothing : html`<div class="control-note row-text">${description}</div>`}
      ${rowState(extension, () => ask(this, { type: "cancel-install", kind: "extension", id }))}
    </li>`;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has("extensions")) return;
    const ids = this.extensions.map(({ id }) => id);
    const isWaiting = this.dragged !== undefined || this.#settling !== undefined;
    // Show added and removed extensions at once without undoing a pending move.
    this.order = isWaiting ? [...new Set([...this.order, ...ids])].filter((id) => ids.includes(id)) : ids;
  }

  #toggle(event: Event, id: string): void {
    const isEnabled = event.target instanceof HTMLInputElement && event.target.checked;
    ask(this, { type: "toggle-extension", id, isEnabled });
  }

  #onKey(event: KeyboardEvent, { id, name }: ExtensionEntry): void {
    const step = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    const to = this.order.indexOf(id) + step;
    if (step === 0 || to < 0 || to >= this.order.length) return;
    event.preventDefault();
    this.#move(id, to);
    this.said = l10n.t("{0} is now {1} of {2}.", name, to + 1, this.order.length);
    this.#reorder();
    // Restore the focus, which an element loses when it is moved in the page.
    void this.updateComplete.then(() => document.getElementById(`handle-${id}`)?.focus());
  }

  #move(id: string, to: number): void {
    const others = this.order.filter((one) => one !== id);
    this.order = [...others.slice(0, to), id, ...others.slice(to)];
  }

  #onDragStart(event: DragEvent, id: string): void {
    this.dragged = id;
    event.dataTransfer?.setData("text/plain", id);
    const row = event.target instanceof Element ? event.target.closest("li") : null;
    if (row) event.dataTransfer?.setDragImage(row, 10, 10);
  }

  #onDragOver(event: DragEvent, id: string): void {
    if (this.dragged === undefined) return;
    event.preventDefault();
    if (this.dragged !== id) this.#move(this.dragged, this.order.indexOf(id));
  }

  #onDrop(event: DragEvent): void {
    if (this.dragged === undefined) return;
    event.preventDefault();
    this.dragged = undefined;
    this.#reorder();
  }

  #reorder(): void {
    const { extensions } = this;
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => {
      this.#settling = undefined;
      if (this.extensions !== extensions) this.order = this.extensions.map(({ id }) => id);
    }, answeredAfterMs);
    ask(this, { type: "reorder-extensions", ids: [...this.order] });
  }

  /** Restores the order if the extension was dropped outside the list. */
  #onDragEnd(): void {
    if (this.dragged === undefined) return;
    this.dragged = undefined;
    this.order = this.extensions.map(({ id }) => id);
  }
}

customElements.define("symposium-extension-list", ExtensionList);
