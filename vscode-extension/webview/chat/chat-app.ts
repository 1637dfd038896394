import * as l10n from "@vscode/l10n";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { keyed } from "lit/directives/keyed.js";
import type { Draft, Item, ItemOf, ToWebview } from "../../protocol/index.js";
import { withFocus } from "../controls/awaited-focus.js";
import { icon, LightElement } from "../controls/element.js";
import { Announcements, LiveRegion } from "./announcements.js";
import { CardDrafts, Folds, type ViewMemory } from "./state/view-memory.js";
import { isAttached } from "./items/attachments.js";
import "./changed-files.js";
import "./composer/composer.js";
import type { Composer } from "./composer/composer.js";
import type { ItemContext } from "./items/item-element.js";
import { listenToLinks, send } from "./send-message.js";
import type { ChatStore, Tab } from "./state/chat-store.js";
import "./tabs/no-tab.js";
import "./tabs/tab-bar.js";
import { isRunning } from "./tool/tool-look.js";
import "./transcript/transcript.js";
import "./worktree-bar.js";
import { Slices } from "./slices.js";

type Addition = Extract<ToWebview, { type: "add-context" | "add-text" }>;

const placeDelayMs = 250;
const noDraft: Draft = { text: "", attachments: [] };

export class ChatApp extends LightElement {
  static override properties: PropertyDeclarations = { store: { attribute: false }, memory: { attribute: false } };
  declare store: ChatStore;
  declare memory: ViewMemory;

  readonly #context: ItemContext = { slices: new Slices(), folds: new Folds() };
  /** Created when `memory` is set, which happens after the element's construction. */
  #drafts: CardDrafts | undefined;
  readonly #announcements = new Announcements();
  readonly #live = new LiveRegion(document);
  #prompts: { readonly tab: Tab; readonly count: number; readonly texts: string[] } | undefined;
  #opening: string | undefined;
  #placeTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #early: Addition[] = [];

  override connectedCallback(): void {
    super.connectedCallback();
    listenToLinks(this);
    this.after(this.#live.element);
    this.addEventListener("symposium-scrolled", this.#rememberPlace);
  }

  /** Handles a message that concerns a part of the view and not only the store. */
  receive(message: ToWebview): void {
    const composer = this.querySelector<Composer>("symposium-composer");
    switch (message.type) {
      case "context-results":
        composer?.showContextResults(message.queryId, message.results, message.note);
        return;
      case "add-context":
      case "add-text":
        void this.#add(message);
        return;
      case "snapshot":
        if (message.place && !this.memory.places[message.tabId]) this.memory.setPlace(message.tabId, message.place);
        this.memory.recall(message.tabId, message.draft, userTexts(message.items));
        this.#repeatDraft(message.tabId, message.draft);
        for (const addition of this.#early.splice(0)) void this.#add(addition);
        return;
      case "focus":
        void this.#whenDrawn().then((shown) => shown && withFocus(() => shown.focus()));
        return;
      default:
    }
  }

  expect(tabId: string): void {
    this.#opening = tabId;
  }

  flush(): void {
    this.querySelector<Composer>("symposium-composer")?.outbox.flush();
    if (this.#placeTimer !== undefined) this.#sendPlace();
  }

  protected override render(): TemplateResult {
    const { settings, tabs, selected, isOpening } = this.store;
    // A page in an editor knows its tab before the content arrives.
    const isAlone = this.memory.tabId !== undefined;
    return html`
      <div class="chat" @dragover=${this.#onDragOver} @drop=${this.#onDrop}>
        <header class="chat-head">
          <h1 class="control-hidden">${l10n.t("Symposium")}</h1>
          ${
            isAlone
              ? nothing
              : html`<symposium-tab-bar
                  .tabs=${tabs.map(({ tabId, transcript }) => ({ tabId, state: transcript.state }))}
                  .selected=${selected?.tabId}
                  .agents=${settings.agents}
                  .panelId=${"chat-panel"}
                ></symposium-tab-bar>`
          }
          ${selected ? this.#focusToggle() : nothing}
        </header>
        ${
          selected
            ? this.#tab(selected)
            : html`<main class="chat-main" aria-busy=${isOpening}>
                ${
                  isAlone || isOpening
                    ? nothing
                    : html`<symposium-no-tab
                        .agents=${settings.agents}
                        .isListing=${settings.isListing}
                        .listProblem=${settings.listProblem}
                        .isTrusted=${settings.isTrusted}
                      ></symposium-no-tab>`
                }
              </main>`
        }
      </div>
    `;
  }

  protected override updated(): void {
    this.#live.say(this.#announcements.next(this.store.selected));
    if (this.#opening === undefined || this.store.selected?.tabId !== this.#opening) return;
    this.#opening = undefined;
    // Don't take the focus back if the user has left the page meanwhile.
    void this.#whenDrawn().then((shown) => (document.hasFocus() ? shown?.focus() : undefined));
  }

  #tab(tab: Tab): TemplateResult {
    const { tabId, transcript, version } = tab;
    const { state, items } = transcript;
    return html`
      <main class="chat-main" id="chat-panel">
        ${keyed(
          tabId,
          html`<symposium-transcript
            .tab=${tab}
            .version=${version}
            .context=${this.#context}
            .folders=${this.store.settings.folders}
            .drafts=${(this.#drafts ??= new CardDrafts(this.memory))}
            .isFocused=${this.memory.isFocused}
            .position=${this.memory.places[tabId]}
          ></symposium-transcript>`,
        )}
      </main>
      <footer class="chat-foot">
        <symposium-worktree-bar
          .tabId=${tabId}
          .worktree=${state.worktree}
          .isBusy=${state.phase === "running" || state.phase === "stopping"}
        ></symposium-worktree-bar>
        <symposium-changed-files .tabId=${tabId} .files=${state.changedFiles}></symposium-changed-files>
        <symposium-composer
          .tabId=${tabId}
          .state=${state}
          .settings=${this.store.settings}
          .draft=${this.memory.drafts[tabId] ?? tab.draft}
          .prompts=${this.#promptsOf(tab)}
          .activity=${activity(items)}
          .asking=${oldestRequest(items, state.waiting)}
          @symposium-draft=${this.#rememberDraft}
          @symposium-sent=${this.#showAnswer}
        ></symposium-composer>
      </footer>
    `;
  }

  #focusToggle(): TemplateResult {
    const { isFocused } = this.memory;
    const label = l10n.t("Hide tool calls");
    return html`<button
      type="button"
      class="control-icon chat-focus"
      title=${isFocused ? l10n.t("Show tool calls") : label}
      aria-label=${label}
      aria-pressed=${isFocused ? "true" : "false"}
      @click=${() => {
        this.memory.set({ isFocused: !isFocused });
        this.requestUpdate();
      }}
    >
      ${icon(isFocused ? "unfold" : "fold")}
    </button>`;
  }

  #promptsOf(tab: Tab): readonly string[] {
    const { items } = tab.transcript;
    if (this.#prompts?.tab !== tab || this.#prompts.count !== items.length) {
      this.#prompts = { tab, count: items.length, texts: userTexts(items) };
    }
    return this.#prompts.texts;
  }

  async #whenDrawn(): Promise<Composer | undefined> {
    this.requestUpdate();
    await this.updateComplete;
    const composer = this.querySelector<Composer>("symposium-composer") ?? undefined;
    await composer?.updateComplete;
    return composer;
  }

  async #add(addition: Addition): Promise<void> {
    const shown = await this.#whenDrawn();
    const { tabId } = addition;
    const tab = this.store.tab(tabId);
    if (!tab) this.#early.push(addition);
    else if (this.store.selected === tab) {
      if (addition.type === "add-context") shown?.addAttachments(addition.attachments);
      else shown?.addText(addition.text);
    } else {
      const draft = withAddition(this.memory.drafts[tabId] ?? tab.draft ?? noDraft, addition);
      this.memory.set({ drafts: { ...this.memory.drafts, [tabId]: draft } });
      send(this, { type: "draft", tabId, draft });
    }
  }

  /** Resends the remembered draft, since the last edits of a hidden page may not have arrived. */
  #repeatDraft(tabId: string, known: Draft | undefined): void {
    const draft = this.memory.drafts[tabId];
    if (draft === undefined || JSON.stringify(draft) === JSON.stringify(known ?? noDraft)) return;
    send(this, { type: "draft", tabId, draft });
  }

  /** Accepts drops anywhere in the view and adds them to the prompt. The composer handles drops onto itself. */
  readonly #onDragOver = (event: DragEvent): void => {
    const isText = event.dataTransfer?.types.every((type) => type.startsWith("text/plain")) ?? true;
    if (!isText && this.store.selected) event.preventDefault();
  };

  readonly #onDrop = (event: DragEvent): void => {
    const composer = this.querySelector<Composer>("symposium-composer");
    if (event.defaultPrevented || event.dataTransfer === null) return;
    if (composer?.take(event.dataTransfer) === true) event.preventDefault();
  };

  readonly #rememberDraft = ({ detail }: HTMLElementEventMap["symposium-draft"]): void => {
    this.memory.set({ drafts: { ...this.memory.drafts, [detail.tabId]: detail.draft } });
  };

  readonly #showAnswer = (): void => this.querySelector("symposium-transcript")?.goToEnd();

  readonly #rememberPlace = (): void => {
    this.#placeTimer ??= setTimeout(() => this.#sendPlace(), placeDelayMs);
  };

  #sendPlace(): void {
    clearTimeout(this.#placeTimer);
    this.#placeTimer = undefined;
    const transcript = this.querySelector("symposium-transcript");
    if (!transcript) return;
    const { tab, place } = transcript;
    this.memory.setPlace(tab.tabId, place);
    send(this, { type: "scrolled", tabId: tab.tabId, ...(place && { place }) });
  }
}

function userTexts(items: readonly Item[]): string[] {
  return items.flatMap((item) => (item.kind === "user" ? [item.text] : []));
}

function withAddition(draft: Draft, addition: Addition): Draft {
  if (addition.type === "add-text")
    return { ...draft, text: [draft.text, addition.text].filter((text) => text !== "").join("\n\n") };
  const added = addition.attachments.filter((one) => !isAttached(draft.attachments, one));
  return { ...draft, attachments: [...draft.attachments, ...added] };
}

function activity(items: readonly Item[]): string {
  const last = items.at(-1);
  switch (last?.kind) {
    case "thought":
      return last.endedAt === undefined ? l10n.t("Thinking…") : l10n.t("Working…");
    case "text":
      return l10n.t("Writing…");
    case "tool":
      return isRunning(last) ? last.title : l10n.t("Working…");
    case "permission":
    case "elicitation":
      return last.answer === undefined ? l10n.t("Waiting for you") : l10n.t("Working…");
    default:
      return l10n.t("Working…");
  }
}

function oldestRequest(items: readonly Item[], waiting: number): ItemOf<"permission"> | undefined {
  if (waiting === 0) return undefined;
  return items.find((item): item is ItemOf<"permission"> => item.kind === "permission" && item.answer === undefined);
}

customElements.define("symposium-chat", ChatApp);
