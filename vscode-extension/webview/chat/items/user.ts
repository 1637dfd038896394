import * as l10n from "@vscode/l10n";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { type Action, type Attachment, type Branch, restoreActionId } from "../../../protocol/index.js";
import { keyedRows } from "../../controls/keyed-rows.js";
import { icon, textButton, iconButton } from "../../controls/element.js";
import { send } from "../send-message.js";
import { CardDrafts } from "../state/view-memory.js";
import { attachmentIcon, attachmentLabel } from "./attachments.js";
import { ItemElement } from "./item-element.js";

const foldedLines = 12;
const foldedChars = 1_200;

class SymposiumUser extends ItemElement<"user"> {
  static override properties: PropertyDeclarations = { ...ItemElement.properties, drafts: { attribute: false } };
  declare drafts: CardDrafts;

  constructor() {
    super();
    this.drafts = new CardDrafts();
  }

  protected override render(): TemplateResult {
    const { text, attachments, sentAt, isSteered, branches = [], actions = [] } = this.item;
    const isLong = text.length > foldedChars || text.split("\n", foldedLines + 1).length > foldedLines;
    const isOpen = !isLong || this.isOpen("text", false);
    const draft = this.#draft;
    const time = sentAt === undefined ? nothing : new Date(sentAt).toLocaleString();
    return html`
      <h2 class="control-hidden">${l10n.t("You asked")}</h2>
      <div class="user-card" title=${time}>
        ${isSteered === true ? html`<div class="user-steered">${icon("reply")}${l10n.t("Said into the running turn")}</div>` : nothing}
        ${this.#buttons(isSteered === true || draft !== undefined)}
        ${
          draft !== undefined
            ? this.#editor(draft)
            : html`<div class="user-text ${isOpen ? "" : "is-folded"}" dir="auto">${text}</div>`
        }
        ${isLong && draft === undefined ? this.#foldButton(isOpen) : nothing}
        ${
          attachments.length === 0
            ? nothing
            : html`<ul class="chips" aria-label=${l10n.t("Attached")}>
                ${attachments.map((attachment) => html`<li>${this.#chip(attachment)}</li>`)}
              </ul>`
        }
      </div>
      ${
        actions.length === 0 && branches.length < 2
          ? nothing
          : html`<div class="user-actions">
              ${this.#branches(branches)}${keyedRows(
                actions,
                ({ id }) => id,
                (action) => this.#action(action),
              )}
            </div>`
      }
    `;
  }

  #buttons(isFixed: boolean): TemplateResult {
    return html`<div class="user-buttons">
      ${
        isFixed
          ? nothing
          : iconButton("edit", l10n.t("Edit prompt"), () => this.#edit(), {
              title: l10n.t("Edit and resend in a new tab"),
            })
      }
      ${iconButton("copy", l10n.t("Copy prompt"), () => send(this, { type: "copy", text: this.item.text }))}
    </div>`;
  }

  #foldButton(isOpen: boolean): TemplateResult {
    return textButton(isOpen ? l10n.t("Show less") : l10n.t("Show more"), () => this.setOpen("text", !isOpen), {
      look: "link",
      isExpanded: isOpen,
    });
  }

  #branches(branches: readonly Branch[]): TemplateResult | typeof nothing {
    if (branches.length < 2) return nothing;
    const at = branches.findIndex(({ itemId }) => itemId === this.item.id);
    const step = (by: number, image: string, label: string): TemplateResult => {
      const target = branches[at + by];
      return iconButton(image, label, () => target && send(this, { type: "show-branch", tabId: target.tabId }), {
        isDisabled: target === undefined,
      });
    };
    return html`<span class="user-branches" role="group" aria-label=${l10n.t("Versions of this prompt")}>
      ${step(-1, "chevron-left", l10n.t("Previous version"))}<span>${at + 1}/${branches.length}</span>${step(1, "chevron-right", l10n.t("Next version"))}
    </span>`;
  }

  #editor(text: string): TemplateResult {
    return html`<textarea
        class="control-input user-editor"
        aria-label=${l10n.t("Edit prompt")}
        rows=${Math.min(12, text.split("\n").length + 1)}
        .value=${text}
        @input=${(event: InputEvent) => {
          if (event.target instanceof HTMLTextAreaElement)
            this.drafts.set(this.#draftKey, { text: event.target.value });
        }}
        @keydown=${(event: KeyboardEvent) => this.#onKey(event)}
      ></textarea>
      <div class="user-edit-buttons">
        ${textButton(l10n.t("Send again"), () => this.#sendAgain(), { look: "primary" })}
        ${
          this.item.actions?.some(({ id }) => id === restoreActionId) === true
            ? textButton(l10n.t("Restore files, send again"), () => this.#sendAgain(true), { look: "secondary" })
            : nothing
        }
        ${textButton(l10n.t("Cancel"), () => this.#leave(), { look: "secondary" })}
      </div>`;
  }

  /** The key includes the tab, since forks contain the same prompts. */
  get #draftKey(): string {
    return `${this.tabId}/${this.item.id}`;
  }

  /** Edited text of the prompt; undefined if the user isn't editing. */
  get #draft(): string | undefined {
    const { text } = this.drafts.get(this.#draftKey);
    return typeof text === "string" ? text : undefined;
  }

  #edit(): void {
    this.drafts.set(this.#draftKey, { text: this.item.text });
    this.requestUpdate();
    void this.updateComplete.then(() => {
      const field = this.querySelector("textarea");
      field?.focus();
      field?.setSelectionRange(field.value.length, field.value.length);
    });
  }

  #sendAgain(restoresFiles = false): void {
    const text = this.querySelector("textarea")?.value.trim() ?? "";
    if (text === "" && this.item.attachments.length === 0) return;
    const [newTabId, messageId] = [crypto.randomUUID(), crypto.randomUUID()];
    const files = restoresFiles ? { restoresFiles } : {};
    send(this, { type: "edit-prompt", tabId: this.tabId, itemId: this.item.id, newTabId, messageId, text, ...files });
    this.#endEdit();
  }

  #endEdit(): void {
    this.drafts.forget(this.#draftKey);
    this.requestUpdate();
  }

  #leave(): void {
    this.#endEdit();
    void this.updateComplete.then(() => this.querySelector<HTMLElement>("[aria-label='Edit prompt']")?.focus());
  }

  #onKey(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Escape") this.#leave();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.#sendAgain();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #action({ id, label, isDisabled = false }: Action): TemplateResult {
    const press = (): void => send(this, { type: "action", tabId: this.tabId, itemId: this.item.id, actionId: id });
    return html`<button type="button" class="user-action" ?disabled=${isDisabled} @click=${press}>
      ${icon("discard")}${label}
    </button>`;
  }

  #chip(attachment: Attachment): TemplateResult {
    const open = (): void => send(this, { type: "open-attachment", attachment });
    if (attachment.type === "image") {
      return html`<button type="button" class="image-chip" title=${attachment.label} @click=${open}>
        <img src="data:${attachment.mimeType};base64,${attachment.data}" alt=${attachment.label} />
      </button>`;
    }
    return html`<button type="button" class="file-chip" title=${attachmentLabel(attachment)} @click=${open}>
      ${icon(attachmentIcon(attachment))}<span class="file-chip-label">${attachmentLabel(attachment)}</span>
    </button>`;
  }
}

customElements.define("symposium-user", SymposiumUser);
