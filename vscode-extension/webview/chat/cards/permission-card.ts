import { filledText } from "../../controls/filled-text.js";
import * as l10n from "@vscode/l10n";
import { html, nothing, type PropertyValues } from "lit";
import type { ToExtension } from "../../../protocol/index.js";
import { icon, LightElement, textButton } from "../../controls/element.js";
import "../../controls/picker.js";
import { send } from "../send-message.js";
import { AnsweredFocus, codeBlock, contentParts, locationLinks, Settling } from "./card-parts.js";
import {
  type AnswerExtras,
  isAllowing,
  isRejecting,
  onceOption,
  optionMemory,
  optionOfKey,
  permissionAnswer,
  type PermissionItem,
  rememberedAnswers,
} from "./permission-answer.js";
import { CardDrafts } from "../state/view-memory.js";
import { visibleLabel, visibleText } from "./visible-text.js";

/**
 * Open permission request: shows the action to allow, all of the agent's options with digit keys, and a list of answers that Symposium
 * remembers. Collapses to one line once answered.
 */
class PermissionCard extends LightElement {
  static override properties = {
    tabId: {},
    item: { attribute: false },
    requests: { attribute: false, hasChanged: (now: unknown, before: unknown) => String(now) !== String(before) },
    drafts: { attribute: false },
    face: { state: true },
    isSent: { state: true },
  };
  declare tabId: string;
  declare item: PermissionItem | undefined;
  declare requests: readonly string[];
  declare drafts: CardDrafts;
  declare face: "options" | "comment" | "bypass";
  declare isSent: boolean;
  readonly #focus = new AnsweredFocus(this);
  readonly #settling = new Settling(this);

  constructor() {
    super();
    this.tabId = "";
    this.requests = [];
    this.drafts = new CardDrafts();
    this.face = "options";
    this.isSent = false;
  }

  override render(): unknown {
    const { item } = this;
    if (item === undefined) return nothing;
    return item.answer === undefined ? this.#open(item) : this.#answered(item, item.answer);
  }

  #open(item: PermissionItem): unknown {
    return html`<section
      class="card permission"
      aria-labelledby="permission-${item.id}"
      tabindex="-1"
      @keydown=${(event: KeyboardEvent) => this.#onKey(event, item)}
    >
      <h3 class="card-title" id="permission-${item.id}">
        ${icon("shield")}<span
          >${filledText(l10n.t("{0} asks: {1}"), visibleText(item.agentName), visibleText(item.title))}</span
        >
      </h3>
      <div class="card-request">${this.#request(item)}</div>
      ${this.#face(item)}
    </section>`;
  }

  #request(item: PermissionItem): unknown {
    const options = {
      tabId: this.tabId,
      toolCallId: item.toolCallId,
      send: (message: ToExtension) => send(this, message),
    };
    return html`${
      item.warnings.length === 0
        ? nothing
        : html`<ul class="card-warnings" aria-label=${l10n.t("Warnings")}>
            ${item.warnings.map((warning) => html`<li>${icon("warning")}<span>${visibleText(warning)}</span></li>`)}
          </ul>`
    }
    ${item.command === undefined ? nothing : codeBlock(item.command, l10n.t("Command"))}
    ${
      item.cwd === undefined
        ? nothing
        : html`<div class="control-note card-path">
            ${filledText(l10n.t("in {0}"), html`<bdi>${visibleText(item.cwd)}</bdi>`)}
          </div>`
    }
    ${locationLinks(item.locations, options)} ${contentParts(item.content, options)}
    ${
      item.input === undefined
        ? nothing
        : html`<details class="card-details">
            <summary>${l10n.t("Tool input")}</summary>
            ${codeBlock(item.input, l10n.t("Tool input"))}
          </details>`
    }`;
  }

  #face(item: PermissionItem): unknown {
    switch (this.face) {
      case "options":
        return this.#options(item);
      case "comment":
        return this.#comment(item);
      case "bypass":
        return this.#bypass(item);
    }
  }

  #options(item: PermissionItem): unknown {
    const preferred = onceOption(item, isAllowing);
    return html`<div class="card-answers" role="group" aria-label=${l10n.t("Answers")}>
        ${item.options.map((option, index) => this.#option(item, option, index, option === preferred))}
        ${item.options.length > 0 ? nothing : this.#button(l10n.t("Dismiss"), "secondary", () => this.#answer(item, undefined))}
        ${this.#remember(item)}
      </div>
      <div class="card-links">
        ${
          item.options.some(isRejecting) && item.hasOwnAnswers !== true
            ? this.#button(l10n.t("Reject with a comment…"), "link", () => (this.face = "comment"))
            : nothing
        }
        ${
          this.requests.length > 1
            ? html`${this.#button(l10n.t("Allow all {0}", this.requests.length), "link", () => this.#answerAll("allow"))}
              ${this.#button(l10n.t("Reject all {0}", this.requests.length), "link", () => this.#answerAll("reject"))}`
            : nothing
        }
        ${
          item.options.some(isAllowing) && item.hasOwnAnswers !== true
            ? this.#button(l10n.t("Bypass permissions…"), "link", () => (this.face = "bypass"))
            : nothing
        }
      </div>`;
  }

  #option(
    item: PermissionItem,
    option: PermissionItem["options"][number],
    index: number,
    isPreferred: boolean,
  ): unknown {
    const memory = optionMemory(option, item);
    return html`<button
      type="button"
      class="control-button card-answer ${isPreferred ? "" : "secondary"}"
      aria-keyshortcuts=${index < 9 ? `${index + 1}` : nothing}
      ?disabled=${this.isSent}
      aria-disabled=${this.#settling.isOver ? nothing : "true"}
      @click=${() => this.#answer(item, option.optionId)}
    >
      ${icon(iconOf(option.kind))}<span class="card-answer-name">${visibleText(option.name)}</span>
      ${index < 9 ? html`<kbd class="control-key" aria-hidden="true">${index + 1}</kbd>` : nothing}
      ${memory === "" ? nothing : html`<span class="card-answer-memory">${memory}</span>`}
    </button>`;
  }

  #remember(item: PermissionItem): unknown {
    const answers = rememberedAnswers(item);
    if (answers.length === 0) return nothing;
    return html`<symposium-picker
      class="card-remember"
      .name=${`remember-${item.id}`}
      .label=${l10n.t("Remember in Symposium")}
      .icon=${"save"}
      .choices=${answers}
      .blockedBy=${this.isSent ? l10n.t("Sending the answer") : this.#settling.isOver ? "" : l10n.t("The question just appeared")}
      @symposium-pick=${({ detail }: CustomEvent<string>) => {
        const chosen = answers.find(({ value }) => value === detail);
        if (chosen) this.#answer(item, chosen.optionId, { remember: chosen.remember });
      }}
    ></symposium-picker>`;
  }

  #comment(item: PermissionItem): unknown {
    const { comment } = this.drafts.get(this.#draftKey);
    return html`<div class="card-form">
      <label for="comment-${item.id}"
        >${filledText(l10n.t("What should {0} do instead?"), visibleText(item.agentName))}</label
      >
      <textarea
        class="control-input"
        id="comment-${item.id}"
        rows="2"
        dir="auto"
        .value=${typeof comment === "string" ? comment : ""}
        @input=${(event: Event) => {
          if (event.target instanceof HTMLTextAreaElement)
            this.drafts.set(this.#draftKey, { comment: event.target.value });
        }}
        @keydown=${(event: KeyboardEvent) => this.#onCommentKey(event, item)}
      ></textarea>
      <div class="card-buttons">
        ${this.#button(l10n.t("Reject"), "", () => this.#reject(item))}
        ${this.#button(l10n.t("Back"), "secondary", () => this.#back())}
      </div>
    </div>`;
  }

  #bypass(item: PermissionItem): unknown {
    const { agentName } = item;
    return html`<div class="card-form" role="alert">
      <p>
        ${filledText(
          l10n.t(
            "{0} will run commands and change files without asking, now and in every later session, until you take it back in the settings.",
          ),
          visibleText(agentName),
        )}
      </p>
      <div class="card-buttons">
        ${this.#button(l10n.t("Never ask for {0} again", visibleLabel(agentName)), "danger", () => this.#allowAll(item))}
        ${this.#button(l10n.t("Back"), "secondary", () => this.#back())}
      </div>
    </div>`;
  }

  #answered(item: PermissionItem, answer: NonNullable<PermissionItem["answer"]>): unknown {
    const kind = item.options.find(({ optionId }) => optionId === answer.optionId)?.kind ?? "";
    return html`<details class="card permission answered">
      <summary>
        ${icon(kind === "" ? "circle-slash" : iconOf(kind))}
        <span class="card-summary">${visibleText(item.title)}</span>
        <span class="control-note">${visibleText(answer.label)}</span>
      </summary>
      ${answer.comment === undefined ? nothing : html`<blockquote class="card-quote" dir="auto">${answer.comment}</blockquote>`}
      ${this.#request(item)}
    </details>`;
  }

  #button(label: string, look: string, run: () => void): unknown {
    const isBlocked = this.#settling.isOver ? undefined : true;
    return textButton(label, () => this.#settling.isOver && run(), { look, isDisabled: this.isSent, isBlocked });
  }

  get #draftKey(): string {
    return `${this.tabId}/${this.item?.id ?? ""}`;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const isOther = changed.has("item") && changed.get("item")?.id !== this.item?.id;
    // The waiting requests or the shown face have changed, so this card may have moved.
    if (isOther || changed.has("requests") || (changed.has("face") && this.face === "bypass")) this.#settling.begin();
    if (this.item?.answer) this.drafts.forget(this.#draftKey);
    if (!isOther) return;
    const { comment = "" } = this.drafts.get(this.#draftKey);
    this.face = comment === "" ? "options" : "comment";
    this.isSent = false;
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (this.item?.answer) this.#focus.restore();
    if (!changed.has("face") || changed.get("face") === undefined) return;
    this.querySelector<HTMLElement>(
      this.face === "options" ? ".card-answers button" : ".card-form textarea, .card-form button.secondary",
    )?.focus();
    requestAnimationFrame(() => requestAnimationFrame(() => this.scrollIntoView({ block: "nearest" })));
  }

  #onKey(event: KeyboardEvent, item: PermissionItem): void {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || this.isSent) return;
    if (event.key === "Escape" && this.face !== "options") this.#back();
    else {
      const { target } = event;
      // Ignore keys pressed in the list of remembered answers, which handles them itself.
      if (!(target instanceof Element) || target.closest("textarea, .popup") !== null || this.face !== "options")
        return;
      const option = optionOfKey(item, event.key);
      if (option === undefined) return;
      this.#answer(item, option.optionId);
    }
    event.preventDefault();
    event.stopPropagation();
  }

  #onCommentKey(event: KeyboardEvent, item: PermissionItem): void {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.#reject(item);
  }

  #back(): void {
    this.face = "options";
  }

  #answer(item: PermissionItem, optionId: string | undefined, extras: AnswerExtras = {}): void {
    if (this.isSent || !this.#settling.isOver) return;
    this.#focus.note();
    this.isSent = true;
    send(this, permissionAnswer(item, optionId, extras));
  }

  #reject(item: PermissionItem): void {
    const { comment } = this.drafts.get(this.#draftKey);
    this.#answer(item, onceOption(item, isRejecting)?.optionId, {
      comment: typeof comment === "string" ? comment : "",
    });
  }

  #allowAll(item: PermissionItem): void {
    this.#answer(item, onceOption(item, isAllowing)?.optionId, { bypassAll: true });
  }

  #answerAll(answer: "allow" | "reject"): void {
    send(this, { type: "approve-all", tabId: this.tabId, approvalIds: [...this.requests], answer });
  }
}

function iconOf(kind: string): string {
  if (kind === "allow_always") return "check-all";
  if (kind.startsWith("allow")) return "check";
  if (kind === "reject_always") return "circle-slash";
  return kind.startsWith("reject") ? "close" : "circle-small";
}

customElements.define("symposium-permission-card", PermissionCard);
