import { filledText } from "../../controls/filled-text.js";
import * as l10n from "@vscode/l10n";
import { html, nothing, type PropertyDeclarations, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Position, TabState } from "../../../protocol/index.js";
import { icon, LightElement } from "../../controls/element.js";
import type { ItemContext } from "../items/item-element.js";
import { send } from "../send-message.js";
import type { Tab } from "../state/chat-store.js";
import type { CardDrafts } from "../state/view-memory.js";
import type { ToolSource } from "../tool/tool.js";
import { rowElement, type RowParts } from "./row-element.js";
import { findAnchor, RowLayout, type RowRange, type ScrollAnchor } from "./row-layout.js";
import { estimateHeight, promptRow, type Rows, toRows } from "./rows.js";

const olderCount = 200;
/** Maximum distance from the end, in pixels, at which the transcript starts to follow the end again. */
const endPixels = 12;
const nowhere: RowRange = { first: 0, last: 0, before: 0, after: 0 };

/**
 * Virtualized list of a tab's items. Follows the end while the user is there; otherwise the visible content doesn't move when content above
 * or below grows. Each element shows one tab.
 */
class SymposiumTranscript extends LightElement {
  static override properties: PropertyDeclarations = {
    tab: { attribute: false },
    version: { attribute: false },
    context: { attribute: false },
    folders: { attribute: false },
    isFocused: { attribute: false },
    position: { attribute: false },
    drafts: { attribute: false },
  };
  declare tab: Tab;
  /** Version of the tab, needed since items are mutated in place. */
  declare version: number;
  declare context: ItemContext;
  declare folders: readonly string[];
  declare isFocused: boolean;
  /** Initial scroll position; undefined for the end. */
  declare position: Position | undefined;

  declare drafts: CardDrafts;

  readonly #source: ToolSource = {
    terminal: (terminalId) => this.tab.transcript.terminals.get(terminalId),
    children: (toolCallId) => this.#rows.children.get(toolCallId) ?? [],
  };
  readonly #layout = new RowLayout();
  #rows: Rows = { rows: [], children: new Map() };
  #range = nowhere;
  #anchor: ScrollAnchor | undefined;
  #target: Position | undefined;
  #isAtEnd = true;
  #lastTop = 0;
  /** Latest version of the tab whose end the user has seen. */
  #seen = -1;
  #prompt: number | undefined;
  readonly #sizes = new ResizeObserver((entries) => this.#resized(entries));
  readonly #observed = new Set<Element>();

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#sizes.disconnect();
    this.#observed.clear();
  }

  goToEnd(): void {
    this.#isAtEnd = true;
    this.#anchor = undefined;
    this.requestUpdate();
  }

  /** User's scroll position; undefined at the end. */
  get place(): Position | undefined {
    const anchor = this.#isAtEnd ? undefined : this.#anchor;
    return anchor && { key: anchor.key, offset: anchor.offset };
  }

  protected override willUpdate(): void {
    if (!this.hasUpdated && this.position) {
      this.#target = this.position;
      this.#isAtEnd = false;
    }
    const { items, byId } = this.tab.transcript;
    const { folds } = this.context;
    const focus = { isUnfolded: (id: string) => folds.isOpen(`${this.tab.tabId}/${id}`, false) };
    this.#rows = toRows(items, byId, this.isFocused ? focus : undefined);
    this.#placeRows();
    this.#range = this.#rangeInView();
  }

  protected override render(): TemplateResult {
    const { rows } = this.#rows;
    const { first, last } = this.#range;
    const hasOlder = this.tab.total > this.tab.transcript.items.length;
    return html`
      ${this.#stickyPrompt()}
      <div
        class="transcript-scroller"
        tabindex="0"
        role="region"
        aria-label=${l10n.t("Conversation")}
        aria-busy=${this.tab.transcript.state.phase === "restoring" ? "true" : "false"}
        @scroll=${this.#onScroll}
        @keydown=${this.#onKey}
      >
        ${hasOlder && first === 0 ? html`<div class="transcript-older">${icon("loading", true)} ${l10n.t("Earlier messages")}</div>` : nothing}
        ${rows.length === 0 && this.tab.transcript.state.phase !== "restoring" ? emptyConversation(this.tab.transcript.state, this.folders) : nothing}
        <div class="rows-before"></div>
        <div class="rows">
          ${repeat(
            rows.slice(first, last),
            ({ id }) => id,
            (row, index) =>
              html`<div class="row" data-key=${row.id} data-kind=${row.kind}>
                ${rowElement(row, first + index, this.#rows, this.tab, this.#parts)}
              </div>`,
          )}
        </div>
        <div class="rows-after"></div>
      </div>
      ${this.#jump()}
    `;
  }

  protected override updated(): void {
    const scroller = this.#scroller;
    if (!this.#observed.has(scroller)) this.#observe(scroller);
    const rows = new Set<Element>(this.#rowElements());
    for (const element of this.#observed) {
      if (element === scroller || rows.has(element)) continue;
      this.#sizes.unobserve(element);
      this.#observed.delete(element);
    }
    for (const element of rows) if (!this.#observed.has(element)) this.#observe(element);
    // Rows render after this call; the observer then reports their sizes before the next paint.
    this.#settle();
    this.#askForOlder();
  }

  get #scroller(): HTMLElement {
    return this.renderRoot.querySelector<HTMLElement>(".transcript-scroller") ?? this;
  }

  #rowElements(): Iterable<HTMLElement> {
    return this.renderRoot.querySelectorAll<HTMLElement>(".rows > .row");
  }

  get #parts(): RowParts {
    return { context: this.context, drafts: this.drafts, source: this.#source, redraw: () => this.requestUpdate() };
  }

  #isDrawn(): boolean {
    return [...this.renderRoot.querySelectorAll("symposium-markdown")].every(({ isDone }) => isDone);
  }

  #observe(element: Element): void {
    this.#sizes.observe(element);
    this.#observed.add(element);
  }

  #placeRows(): void {
    const { rows } = this.#rows;
    const estimate = (index: number): number => {
      const row = rows[index];
      return row ? estimateHeight(row) : 0;
    };
    this.#layout.set(
      rows.map(({ id }) => id),
      estimate,
    );
  }

  #rangeInView(): RowRange {
    const scroller = this.hasUpdated ? this.#scroller : undefined;
    const height = scroller?.clientHeight || 800;
    const margin = Math.max(400, height * 0.75);
    const at = this.#isAtEnd ? undefined : (this.#target ?? this.#anchor);
    const row = at === undefined ? -1 : this.#layout.indexOf(at.key);
    if (this.#target !== undefined && row === -1) this.#isAtEnd = true;
    let top = scroller?.scrollTop ?? 0;
    if (this.#isAtEnd) top = this.#layout.height - height;
    else if (at !== undefined && row !== -1) top = this.#layout.top(row) - at.offset;
    return this.#layout.rangeOf(top - margin, top + height + margin);
  }

  #resized(entries: readonly ResizeObserverEntry[]): void {
    let isNew = false;
    for (const { target, borderBoxSize } of entries) {
      const key = target instanceof HTMLElement ? target.dataset["key"] : undefined;
      const height = borderBoxSize[0]?.blockSize;
      if (key !== undefined && height !== undefined && target.isConnected) {
        isNew = this.#layout.measure(key, height) || isNew;
      }
    }
    if (isNew) this.#placeRows();
    // Pending content will move the rows below, so use the old anchor until everything is drawn.
    if (this.#settle() && this.#isDrawn()) {
      this.#anchor = findAnchor(this.#scroller, this.#rowElements()) ?? this.#anchor;
      this.#target = undefined;
    }
    this.#showPrompt();
    // Rows turned out smaller than estimated, so render more in the next frame.
    const wanted = this.#rangeInView();
    if (wanted.first < this.#range.first || wanted.last > this.#range.last) {
      requestAnimationFrame(() => this.requestUpdate());
    }
  }

  /** Restores the scroll position after rows or heights changed. Returns false if the content below isn't laid out yet. */
  #settle(): boolean {
    const scroller = this.#scroller;
    const { first, last } = this.#range;
    const spacers = [this.#layout.top(first), this.#layout.height - this.#layout.top(last)];
    for (const [index, name] of ["before", "after"].entries()) {
      const spacer = this.renderRoot.querySelector<HTMLElement>(`.rows-${name}`);
      if (spacer) spacer.style.height = `${spacers[index] ?? 0}px`;
    }
    let isThere = true;
    if (this.#isAtEnd) {
      scroller.scrollTop = scroller.scrollHeight;
      this.#seen = this.version;
    } else isThere = this.#keepPlace(scroller);
    this.#lastTop = scroller.scrollTop;
    return isThere;
  }

  #keepPlace(scroller: HTMLElement): boolean {
    const place = this.#target ?? this.#anchor;
    if (place === undefined) return true;
    const block = place === this.#anchor && this.#anchor.block.isConnected ? this.#anchor : undefined;
    let element = block?.block;
    if (element === undefined)
      for (const row of this.#rowElements()) if (row.dataset["key"] === place.key) element = row;
    if (element === undefined) return this.#layout.indexOf(place.key) === -1;
    const offset = block?.blockOffset ?? place.offset;
    const target =
      scroller.scrollTop + element.getBoundingClientRect().top - scroller.getBoundingClientRect().top - offset;
    if (Math.abs(target - scroller.scrollTop) >= 1) scroller.scrollTop = target;
    return Math.abs(scroller.scrollTop - Math.max(0, target)) < 1.5;
  }

  readonly #onScroll = (): void => {
    const scroller = this.#scroller;
    const top = scroller.scrollTop;
    const fromEnd = scroller.scrollHeight - top - scroller.clientHeight;
    const wasAtEnd = this.#isAtEnd;
    // Ignore the event: this element caused the scrolling itself.
    if (Math.abs(top - this.#lastTop) < 1) return;
    this.#target = undefined;
    if (fromEnd <= endPixels && this.#range.last === this.#layout.count) this.#isAtEnd = true;
    else if (top < this.#lastTop - 1) this.#isAtEnd = false;
    this.#lastTop = top;
    this.#anchor = findAnchor(scroller, this.#rowElements());
    if (this.#isAtEnd) this.#seen = this.version;
    this.dispatchEvent(new CustomEvent("symposium-scrolled", { bubbles: true }));
    const wanted = this.#layout.rangeOf(top - scroller.clientHeight / 3, top + scroller.clientHeight * 1.34);
    const isCovered = wanted.first >= this.#range.first && wanted.last <= this.#range.last;
    if (!isCovered || wasAtEnd !== this.#isAtEnd) this.requestUpdate();
    this.#showPrompt();
    this.#askForOlder();
  };

  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.target !== this.#scroller || event.key !== "End") return;
    event.preventDefault();
    this.goToEnd();
  };

  #askForOlder(): void {
    const { tabId, transcript, total, isLoadingOlder } = this.tab;
    const first = transcript.items[0];
    const isNear = this.#scroller.scrollTop < this.#scroller.clientHeight * 1.5;
    if (isLoadingOlder || first === undefined || total <= transcript.items.length || !isNear) return;
    send(this, { type: "get-older", tabId, beforeId: first.id, count: olderCount });
  }

  #showPrompt(): void {
    const at = this.#layout.count === 0 ? 0 : this.#layout.indexAt(this.#scroller.scrollTop + 1);
    const prompt = promptRow(this.#rows.rows, at);
    const shown = prompt === undefined || prompt === at ? undefined : prompt;
    if (shown === this.#prompt) return;
    this.#prompt = shown;
    this.requestUpdate();
  }

  #stickyPrompt(): TemplateResult | typeof nothing {
    const row = this.#prompt === undefined ? undefined : this.#rows.rows[this.#prompt];
    if (row?.kind !== "user") return nothing;
    return html`<button
      type="button"
      class="sticky-prompt"
      title=${l10n.t("Go to this prompt")}
      @click=${() => this.#goTo(row.id)}
    >
      <span class="control-hidden">${l10n.t("Go to prompt:")} </span
      ><span class="sticky-text" dir="auto">${row.text}</span>
    </button>`;
  }

  #jump(): TemplateResult | typeof nothing {
    if (this.#isAtEnd || this.#layout.count === 0) return nothing;
    const hasNews = this.version !== this.#seen;
    const label = hasNews ? l10n.t("New content below: jump to latest") : l10n.t("Jump to latest");
    return html`<button
      type="button"
      class="jump ${hasNews ? "has-news" : ""}"
      title=${label}
      aria-label=${label}
      @click=${() => this.goToEnd()}
    >
      ${icon("arrow-down")}
    </button>`;
  }

  #goTo(key: string): void {
    this.#isAtEnd = false;
    this.#anchor = undefined;
    this.#target = { key, offset: 8 };
    this.requestUpdate();
  }
}

customElements.define("symposium-transcript", SymposiumTranscript);

declare global {
  interface HTMLElementTagNameMap {
    "symposium-transcript": SymposiumTranscript;
  }
}

function emptyConversation({ agentName, folder, commands }: TabState, folders: readonly string[]): TemplateResult {
  const places = folder === undefined ? folders : [folder];
  return html`<div class="empty">
    ${icon("comment-discussion")}
    <h2 class="empty-title">${l10n.t("Ask {0}", agentName)}</h2>
    <p class="quiet" dir="auto">
      ${
        places.length === 0
          ? l10n.t("Working folder: your home folder, because no folder is open")
          : filledText(
              places.length === 1 ? l10n.t("Working folder: {0}") : l10n.t("Working folders: {0}"),
              places.map((place, at) => html`${at === 0 ? "" : ", "}<strong>${place}</strong>`),
            )
      }
    </p>
    <ul class="empty-hints">
      <li><kbd class="control-key">@</kbd><span>${l10n.t("Add files, symbols, problems or a diff")}</span></li>
      ${commands.length === 0 ? nothing : html`<li><kbd class="control-key">/</kbd><span>${l10n.t("List the agent's commands")}</span></li>`}
      <li>${icon("file-media")}<span>${l10n.t("Paste images, drop files")}</span></li>
    </ul>
  </div>`;
}
