import * as l10n from "@vscode/l10n";
import { html, nothing, type PropertyValues } from "lit";
import type { ItemOf } from "../../../protocol/index.js";
import { icon, LightElement, textButton } from "../../controls/element.js";
import { send } from "../send-message.js";
import { AnsweredFocus, Settling } from "./card-parts.js";
import { CardDrafts } from "../state/view-memory.js";
import { type Field, toAnswer, toFields } from "./elicitation-schema-fields.js";
import { elicitationField } from "./elicitation-field.js";
import { visibleLabel, visibleText } from "./visible-text.js";

type ElicitationItem = ItemOf<"elicitation">;

/** Shows the agent's question as a form, or a URL to open. Entered values outlive the element. */
class ElicitationCard extends LightElement {
  static override properties = {
    tabId: {},
    item: { attribute: false },
    waiting: { attribute: false },
    drafts: { attribute: false },
    problems: { state: true },
    isSent: { state: true },
  };
  declare tabId: string;
  declare item: ElicitationItem | undefined;
  declare waiting: number;
  declare drafts: CardDrafts;
  declare problems: ReadonlyMap<string, string>;
  declare isSent: boolean;
  #fields: readonly Field[] = [];
  readonly #focus = new AnsweredFocus(this);
  readonly #settling = new Settling(this);

  constructor() {
    super();
    this.tabId = "";
    this.waiting = 1;
    this.drafts = new CardDrafts();
    this.problems = new Map();
    this.isSent = false;
  }

  override render(): unknown {
    const { item } = this;
    if (item === undefined) return nothing;
    if (item.answer) return answered(item, item.answer);
    return html`<section class="card" aria-labelledby="question-${item.id}">
      <h3 class="card-title" id="question-${item.id}">${icon("question")}<span>${visibleText(item.message)}</span></h3>
      ${item.mode === "url" ? this.#link(item) : this.#form(item)}
    </section>`;
  }

  #form(item: ElicitationItem): unknown {
    const values = this.drafts.get(this.#draftKey);
    return html`<form
      class="card-form"
      novalidate
      @submit=${(event: SubmitEvent) => this.#submit(event, item)}
      @keydown=${(event: KeyboardEvent) => this.#onKey(event, item)}
    >
      ${this.#fields.map((field, index) =>
        elicitationField(field, {
          id: `field-${item.id}-${index}`,
          values,
          problem: this.problems.get(field.name),
          change: (value) => this.#change(field, value),
        }),
      )}
      <div class="card-buttons">
        <button
          type="submit"
          class="control-button"
          ?disabled=${this.isSent}
          aria-disabled=${this.#settling.isOver ? nothing : "true"}
        >
          ${l10n.t("Send")}
        </button>
        ${this.#button(l10n.t("Decline"), () => this.#answer(item, "decline"))}
        ${this.#button(l10n.t("Cancel"), () => this.#answer(item, "cancel"))}
      </div>
    </form>`;
  }

  #link(item: ElicitationItem): unknown {
    const url = item.url ?? "";
    return html`<p>${l10n.t("This opens in your browser:")}</p>
      <pre class="card-code" dir="ltr" tabindex="0" role="region" aria-label=${l10n.t("Address")}>
${visibleText(url)}</pre>
      <div class="card-buttons">
        ${this.#button(l10n.t("Open {0}", visibleLabel(hostOf(url))), () => this.#open(item, url), {
          icon: "link-external",
          isDisabled: this.isSent || url === "",
        })}
        ${this.#button(l10n.t("Decline"), () => this.#answer(item, "decline"))}
        ${this.#button(l10n.t("Cancel"), () => this.#answer(item, "cancel"))}
      </div>`;
  }

  #button(label: string, run: () => void, options: Parameters<typeof textButton>[2] = { look: "secondary" }): unknown {
    const isBlocked = this.#settling.isOver ? undefined : true;
    return textButton(label, run, { isDisabled: this.isSent, isBlocked, ...options });
  }

  get #draftKey(): string {
    return `${this.tabId}/${this.item?.id ?? ""}`;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const isOther = changed.has("item") && changed.get("item")?.id !== this.item?.id;
    // The number of waiting requests has changed, so this card may have moved.
    if (isOther || changed.has("waiting")) this.#settling.begin();
    if (!changed.has("item")) return;
    this.#fields = toFields(this.item?.schema);
    if (this.item?.answer) this.drafts.forget(this.#draftKey);
    const { problems } = this.item ?? {};
    if (!isOther && problems === undefined) return;
    this.problems = new Map(Object.entries(problems ?? {}));
    this.isSent = false;
    if (problems === undefined) return;
    void this.updateComplete.then(() => {
      if (!document.hasFocus()) return;
      this.querySelector<HTMLElement>("[aria-invalid=true], fieldset:has(.control-error) input")?.focus();
    });
  }

  protected override updated(): void {
    if (this.item?.answer) this.#focus.restore();
  }

  #change(field: Field, value: string | boolean | readonly string[]): void {
    const secrets = this.#fields.flatMap((one) => (one.type === "text" && one.isSecret ? [one.name] : []));
    this.drafts.set(this.#draftKey, { ...this.drafts.get(this.#draftKey), [field.name]: value }, secrets);
    if (this.problems.has(field.name)) {
      this.problems = new Map([...this.problems].filter(([name]) => name !== field.name));
    }
    this.requestUpdate();
  }

  #submit(event: SubmitEvent | KeyboardEvent, item: ElicitationItem): void {
    event.preventDefault();
    if (!this.#settling.isOver) return;
    this.#answer(item, "accept", toAnswer(this.#fields, this.drafts.get(this.#draftKey)));
  }

  /** Handles Enter, which sends the form from a multi-line text as from any other field. Shift+Enter inserts a line break. */
  #onKey(event: KeyboardEvent, item: ElicitationItem): void {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    if (event.target instanceof HTMLTextAreaElement) this.#submit(event, item);
  }

  #open(item: ElicitationItem, url: string): void {
    if (!this.#settling.isOver) return;
    send(this, { type: "open-link", url });
    this.#answer(item, "accept");
  }

  #answer(item: ElicitationItem, action: "accept" | "decline" | "cancel", content?: Record<string, unknown>): void {
    if (this.isSent || !this.#settling.isOver) return;
    this.#focus.note();
    this.isSent = true;
    send(this, { type: "elicitation-response", id: item.id, action, ...(content === undefined ? {} : { content }) });
  }
}

const actionIcons = { accept: "check", decline: "close", cancel: "circle-slash" } as const;

function answered(item: ElicitationItem, { action, summary }: NonNullable<ElicitationItem["answer"]>): unknown {
  return html`<div class="card answered card-line" tabindex="-1">
    ${icon(actionIcons[action])}<span class="card-summary">${visibleText(item.message)}</span>
    <span class="control-note">${visibleText(summary)}</span>
  </div>`;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host || url : url;
}

customElements.define("symposium-elicitation-card", ElicitationCard);

declare global {
  interface HTMLElementTagNameMap {
    "symposium-elicitation-card": ElicitationCard;
  }
}
