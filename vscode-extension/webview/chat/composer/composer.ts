import * as l10n from "@vscode/l10n";
import { html, nothing, type PropertyValues } from "lit";
import type {
  Attachment,
  ContextResult,
  Draft,
  PromptEdit,
  PromptTime,
  TabState,
  ViewSettings,
} from "../../../protocol/index.js";
import { LightElement, iconButton } from "../../controls/element.js";
import { optionOfKey, permissionAnswer, type PermissionItem } from "../cards/permission-answer.js";
import { send } from "../send-message.js";
import { attachmentChips, isAttached } from "../items/attachments.js";
import { contextRing } from "./turn-status.js";
import { noSettings } from "../state/chat-store.js";
import { DraftOutbox } from "../state/view-memory.js";
import { droppedUris, type ReadFiles, readFiles, together } from "./read-attachments.js";
import "./option-bar.js";
import "./prompt-field.js";
import "./prompt-queue.js";
import { Mentions } from "./mentioned-attachments.js";
import { placeholder } from "./prompt-text.js";
import { promptTimes, sendKeys } from "./when-to-send.js";
import { sendButtons } from "./send-buttons.js";

/**
 * Minimum time in milliseconds that a question is shown before digit keys answer it, because the user may be typing a digit into the
 * prompt.
 */
const answerableAfterMs = 600;

/**
 * Prompt editor, which owns the draft of the shown tab. `draft` is only read on a tab change or before the first edit. Every change is
 * dispatched as `symposium-draft` at once, and sent as a `draft` message a few times per second.
 */
export class Composer extends LightElement {
  static override properties = {
    tabId: {},
    state: { attribute: false },
    settings: { attribute: false },
    draft: { attribute: false },
    prompts: { attribute: false },
    activity: {},
    asking: { attribute: false },
    text: { state: true },
    attachments: { state: true },
    edit: { state: true },
    problem: { state: true },
    note: { state: true },
    isDropTarget: { state: true },
  };
  declare tabId: string;
  declare state: TabState | undefined;
  declare settings: ViewSettings;
  declare draft: Draft | undefined;
  declare prompts: readonly string[];
  declare activity: string;
  declare asking: PermissionItem | undefined;
  declare text: string;
  declare attachments: readonly Attachment[];
  declare edit: PromptEdit | undefined;
  declare problem: string;
  declare note: string;
  declare isDropTarget: boolean;

  readonly outbox = new DraftOutbox((tabId, draft) => send(this, { type: "draft", tabId, draft }));
  readonly #onKey = (event: KeyboardEvent): boolean => this.#answer(event) || this.#sendOrStop(event);
  #leaving: AbortController | undefined;
  readonly #late = new Map<string, ReadFiles>();
  /** Tab that the current text and attachments belong to. When the tab changes, `tabId` changes slightly earlier. */
  #draftTabId = "";
  #isWritten = false;
  #mentions = new Mentions();
  #askedAt = 0;

  constructor() {
    super();
    this.tabId = "";
    this.settings = noSettings;
    this.prompts = [];
    this.activity = "";
    this.text = "";
    this.attachments = [];
    this.problem = "";
    this.note = "";
    this.isDropTarget = false;
  }

  override focus(): void {
    this.querySelector("symposium-prompt-field")?.focus();
  }

  addAttachments(attachments: readonly Attachment[]): void {
    const added = attachments.filter((one) => !isAttached(this.attachments, one));
    if (added.length > 0) this.#edit(this.text, [...this.attachments, ...added]);
    this.focus();
  }

  addText(text: string): void {
    this.querySelector("symposium-prompt-field")?.write(text);
  }

  showContextResults(queryId: string, results: readonly ContextResult[], note = ""): void {
    this.querySelector("symposium-prompt-field")?.showContextResults(queryId, results, note);
  }

  /** Attaches dropped URIs, images and small texts. Returns false if there are none. */
  take(data: DataTransfer): boolean {
    const uris = droppedUris(data);
    const files = [...data.files];
    if (uris.length > 0) send(this, { type: "drop-uris", tabId: this.#draftTabId, uris });
    else if (files.length > 0) void this.#attach(files);
    return uris.length > 0 || files.length > 0;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#leaving = this.outbox.flushWhenLeft(window);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#leaving?.abort();
  }

  override render(): unknown {
    const { state, tabId } = this;
    return html`<symposium-turn-status .state=${state} .activity=${this.activity}></symposium-turn-status>
      <symposium-prompt-queue
        .tabId=${tabId}
        .prompts=${state?.queue ?? []}
        .edit=${this.edit}
        @symposium-edit=${({ detail }: HTMLElementEventMap["symposium-edit"]) => this.#editQueued(detail)}
        .steers=${this.#steers && state?.phase === "running"}
      ></symposium-prompt-queue>
      <div
        class="composer-box ${this.isDropTarget ? "drop-target" : ""}"
        role="group"
        aria-label=${l10n.t("Prompt")}
        @dragover=${(event: DragEvent) => this.#onDrag(event)}
        @dragleave=${() => (this.isDropTarget = false)}
        @drop=${(event: DragEvent) => this.#onDrop(event)}
        @paste=${(event: ClipboardEvent) => this.#onPaste(event)}
      >
        ${attachmentChips(this.attachments, {
          open: (attachment) => send(this, { type: "open-attachment", attachment }),
          remove: (index) => this.#removeAttachment(index),
        })}
        <symposium-prompt-field
          .tabId=${tabId}
          .text=${this.text}
          .label=${l10n.t("Prompt to {0}", this.#agentName)}
          .placeholder=${placeholder(state, this.#agentName, this.asking?.options.length ?? 0)}
          .commands=${state?.commands ?? []}
          .prompts=${this.prompts}
          .onKey=${this.#onKey}
          @symposium-text=${(event: CustomEvent<string>) => this.#edit(event.detail, this.#mentions.follow(this.text, event.detail, this.attachments))}
          @symposium-attach=${(event: CustomEvent<Attachment>) => this.addAttachments([event.detail])}
        ></symposium-prompt-field>
        ${this.#toolbar()}
      </div>
      ${
        this.state?.phase === "running" && !this.#isEmpty
          ? promptTimes({
              steers: this.#steers,
              sendKeys: sendKeys(this.settings),
              submit: (when) => this.#submit(when),
            })
          : nothing
      }
      <div role="status" class="composer-note">${this.note}</div>
      <div role="alert" class="control-error composer-problem">${this.problem}</div>`;
  }

  #toolbar(): unknown {
    const attachTitle = this.#takesImages
      ? l10n.t("Attach images or text files")
      : l10n.t("Attach text files ({0} doesn't accept images)", this.#agentName);
    return html`<div class="composer-toolbar">
      ${iconButton(
        "mention",
        l10n.t("Add context"),
        () => this.querySelector("symposium-prompt-field")?.beginContext(),
        {
          title: l10n.t("Add context (@)"),
        },
      )}
      ${iconButton("attach", attachTitle, () => this.querySelector<HTMLElement>(".composer-file")?.click())}
      <input
        class="composer-file"
        type="file"
        multiple
        hidden
        accept=${this.#takesImages ? "image/*,text/*" : "text/*"}
        aria-label=${l10n.t("Files to attach")}
        @change=${(event: Event) => this.#onFiles(event)}
      />
      <symposium-option-bar .tabId=${this.tabId} .state=${this.state}></symposium-option-bar>
      <span class="composer-end"
        >${contextRing(this.state?.usage, this.state?.limits)}
        ${sendButtons({
          state: this.state,
          isEmpty: this.#isEmpty,
          sendKeys: sendKeys(this.settings),
          send: () => this.#submit("send"),
          stop: () => this.#stop(),
        })}</span
      >
    </div>`;
  }

  get #steers(): boolean {
    return this.state?.accepts.steering === true;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const isOtherTab = changed.has("tabId");
    if (isOtherTab) {
      this.outbox.flush();
      this.#draftTabId = this.tabId;
      this.#isWritten = false;
      this.#mentions = new Mentions();
      this.problem = "";
      this.note = "";
    }
    if (isOtherTab || (changed.has("draft") && !this.#isWritten)) {
      this.text = this.draft?.text ?? "";
      this.attachments = this.draft?.attachments ?? [];
      this.edit = this.draft?.edit;
    }
    const { edit, state } = this;
    if (edit && state && !state.queue.some(({ messageId }) => messageId === edit.messageId)) this.#takeBack(edit);
    if (changed.has("asking") && changed.get("asking")?.id !== this.asking?.id) this.#askedAt = Date.now();
  }

  protected override updated(changed: PropertyValues<this>): void {
    const late = this.#late.get(this.tabId);
    if (!changed.has("tabId") || late === undefined) return;
    this.#late.delete(this.tabId);
    this.#addFiles(late);
  }

  get #agentName(): string {
    return this.state?.agentName ?? l10n.t("the agent");
  }

  get #isEmpty(): boolean {
    return this.text.trim() === "" && this.attachments.length === 0;
  }

  get #takesImages(): boolean {
    return this.state?.accepts.image ?? true;
  }

  #edit(text: string, attachments: readonly Attachment[]): void {
    this.text = text;
    this.attachments = attachments;
    this.problem = "";
    this.note = "";
    this.#putDraft();
  }

  #editQueued(edit: PromptEdit | undefined): void {
    const hasEnded = edit?.messageId !== this.edit?.messageId;
    this.edit = edit;
    this.#putDraft();
    if (hasEnded) this.outbox.flush();
  }

  /** Puts the edited text of a queued prompt into the composer, because the prompt was sent or removed during the edit. */
  #takeBack(edit: PromptEdit): void {
    this.edit = undefined;
    const texts = [this.text, edit.text === edit.was ? "" : edit.text].filter((text) => text.trim() !== "");
    const isWriting = document.hasFocus() && this.querySelector(".queue-editor:focus") !== null;
    this.#edit(texts.join("\n\n"), this.attachments);
    if (texts.at(-1) !== edit.text) return;
    this.note = l10n.t("The queued prompt was sent or removed while you edited it. Your text is here.");
    if (isWriting) void this.updateComplete.then(() => this.focus());
  }

  #putDraft(): void {
    this.#isWritten = true;
    const { text, attachments, edit } = this;
    const draft: Draft = { text, attachments: [...attachments], ...(edit && edit.text !== edit.was && { edit }) };
    const detail = { tabId: this.#draftTabId, draft };
    this.dispatchEvent(new CustomEvent("symposium-draft", { detail, bubbles: true, composed: true }));
    this.outbox.put(this.#draftTabId, draft);
  }

  #answer(event: KeyboardEvent): boolean {
    if (!this.asking || !this.#isEmpty || event.ctrlKey || event.metaKey || event.altKey) return false;
    const option = optionOfKey(this.asking, event.key);
    if (option === undefined || Date.now() - this.#askedAt < answerableAfterMs) return false;
    send(this, permissionAnswer(this.asking, option.optionId));
    return true;
  }

  #sendOrStop(event: KeyboardEvent): boolean {
    if (event.key === "Escape") return this.#stop();
    if (event.key !== "Enter" || event.shiftKey) return false;
    if (event.altKey) this.#submit("together");
    else if (event.ctrlKey || event.metaKey || !this.settings.requireModifierToSend) this.#submit("send");
    else return false;
    return true;
  }

  #stop(): boolean {
    if (this.state?.phase !== "running") return false;
    send(this, { type: "cancel", tabId: this.tabId });
    return true;
  }

  #submit(when: PromptTime): void {
    const tabId = this.#draftTabId;
    if (this.#isEmpty || tabId === "") return;
    const [text, attachments] = [this.text, [...this.attachments]];
    send(this, { type: "prompt", tabId, messageId: crypto.randomUUID(), text, attachments, when });
    this.dispatchEvent(new CustomEvent("symposium-sent", { bubbles: true }));
    this.#edit("", []);
    this.outbox.flush();
    this.querySelector("symposium-prompt-field")?.reset();
    this.focus();
  }

  #removeAttachment(index: number): void {
    this.#edit(this.text, this.attachments.toSpliced(index, 1));
    void this.updateComplete.then(() => {
      const chips = this.querySelectorAll<HTMLElement>(".chip-open");
      const next = chips[Math.min(index, chips.length - 1)];
      if (next) next.focus();
      else this.focus();
    });
  }

  async #attach(files: readonly File[]): Promise<void> {
    const tabId = this.#draftTabId;
    const refusal = this.#takesImages ? undefined : l10n.t("{0} doesn't accept images.", this.#agentName);
    const read = await readFiles(files, refusal);
    if (this.#draftTabId === tabId) this.#addFiles(read);
    else this.#late.set(tabId, together(this.#late.get(tabId), read));
  }

  #addFiles({ attachments, problems }: ReadFiles): void {
    this.addAttachments(attachments);
    this.problem = problems.join(" ");
  }

  #onFiles(event: Event): void {
    if (!(event.target instanceof HTMLInputElement)) return;
    void this.#attach([...(event.target.files ?? [])]);
    event.target.value = "";
  }

  /** Paste tables and texts as text, even if an image is also on the clipboard. */
  #onPaste(event: ClipboardEvent): void {
    const data = event.clipboardData;
    if (!data || data.files.length === 0 || data.getData("text/plain") !== "") return;
    event.preventDefault();
    void this.#attach([...data.files]);
  }

  #onDrag(event: DragEvent): void {
    event.preventDefault();
    this.isDropTarget = true;
  }

  #onDrop(event: DragEvent): void {
    this.isDropTarget = false;
    // The prompt field handles dropped plain text itself.
    if (event.dataTransfer && this.take(event.dataTransfer)) event.preventDefault();
  }
}

customElements.define("symposium-composer", Composer);

declare global {
  interface HTMLElementEventMap {
    "symposium-draft": CustomEvent<{ tabId: string; draft: Draft }>;
  }
}
