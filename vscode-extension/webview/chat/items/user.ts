import { html, nothing, type TemplateResult } from "lit";
import type { Action, Attachment } from "../../../protocol/index.js";
import { icon } from "../../controls/element.js";
import { send } from "../send.js";
import { attachmentIcon, attachmentLabel } from "./attachments.js";
import { ItemElement } from "./item-element.js";

/** More of a prompt is folded. */
const foldedLines = 12;
const foldedChars = 1_200;

/** What the user asked, with what was attached. */
class SymposiumUser extends ItemElement<"user"> {
  protected override render(): TemplateResult {
    const { text, attachments, sentAt, isSteered, actions = [] } = this.item;
    const isLong = text.length > foldedChars || text.split("\n", foldedLines + 1).length > foldedLines;
    const isOpen = !isLong || this.isOpen("text", false);
    const time = sentAt === undefined ? nothing : new Date(sentAt).toLocaleString();
    return html`
      <h2 class="control-hidden">You asked</h2>
      <div class="user-card" title=${time}>
        ${isSteered === true ? html`<div class="user-steered">${icon("reply")}Said into the running turn</div>` : nothing}
        <button
          type="button"
          class="control-icon user-copy"
          title="Copy prompt"
          aria-label="Copy prompt"
          @click=${() => send(this, { type: "copy", text })}
        >
          ${icon("copy")}
        </button>
        <div class="user-text ${isOpen ? "" : "is-folded"}" dir="auto">${text}</div>
        ${
          isLong
            ? html`<button
                type="button"
                class="control-button link"
                aria-expanded=${isOpen}
                @click=${() => this.setOpen("text", !isOpen)}
              >
                ${isOpen ? "Show less" : "Show more"}
              </button>`
            : nothing
        }
        ${
          attachments.length === 0
            ? nothing
            : html`<ul class="chips" aria-label="Attached">
                ${attachments.map((attachment) => html`<li>${this.#chip(attachment)}</li>`)}
              </ul>`
        }
      </div>
      ${
        actions.length === 0
          ? nothing
          : html`<div class="user-actions">${actions.map((action) => this.#action(action))}</div>`
      }
    `;
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
