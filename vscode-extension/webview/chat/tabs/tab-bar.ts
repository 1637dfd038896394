import * as l10n from "@vscode/l10n";
import { html, nothing, type PropertyValues } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { type AgentChoice, type TabState, tabTitles } from "../../../protocol/index.js";
import { icon, LightElement } from "../../controls/element.js";
import type { PickerChoice } from "../../controls/picker.js";
import "../../controls/picker.js";
import { send } from "../send-message.js";
import "./new-tab-menu.js";

interface TabEntry {
  readonly tabId: string;
  readonly state: TabState;
}

/**
 * Row of tabs, hidden if there are none. Arrow keys select, Delete or a middle click closes, F2 or a double click renames. Badges mark tabs
 * that wait for the user or ended a turn unseen.
 */
class TabBar extends LightElement {
  static override properties = {
    tabs: { attribute: false },
    selected: {},
    agents: { attribute: false },
    panelId: {},
    renaming: { state: true },
  };
  declare tabs: readonly TabEntry[];
  declare selected: string | undefined;
  declare agents: readonly AgentChoice[];
  declare panelId: string;
  declare renaming: string | undefined;
  /** Original title of the tab being renamed, so that a title from the agent doesn't overwrite the input. */
  #oldTitle = "";
  /** Focused tab that was closed by a key. */
  #closed: string | undefined;
  readonly #size = new ResizeObserver(() => this.#showSelected());

  constructor() {
    super();
    this.tabs = [];
    this.agents = [];
    this.panelId = "";
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#size.disconnect();
  }

  override render(): unknown {
    if (this.tabs.length === 0) return nothing;
    const renamed = this.tabs.find(({ tabId }) => tabId === this.renaming);
    const titles = tabTitles(this.tabs.map(({ state }) => state));
    return html`<div class="tab-bar">
      <div class="tab-scroll" @wheel=${scrollSideways}>
        <div class="tab-list" role="tablist" aria-label=${l10n.t("Sessions")}>
          ${repeat(
            this.tabs,
            ({ tabId }) => tabId,
            (tab, at) => this.#tab(tab, titles[at] ?? tab.state.title),
          )}
        </div>
        ${renamed === undefined ? nothing : this.#renameField(renamed)}
      </div>
      ${this.tabs.length > 1 ? this.#list(titles) : nothing}
      <symposium-new-tab-menu
        .agents=${this.agents}
        .selected=${this.selected}
        .agentId=${this.tabs.find(({ tabId }) => tabId === this.selected)?.state.agentId}
      ></symposium-new-tab-menu>
    </div>`;
  }

  #list(titles: readonly string[]): unknown {
    const choices = this.tabs.map(({ tabId, state }, at): PickerChoice => {
      const badge = badgeOf(state, tabId === this.selected);
      const facts = [state.agentName, state.folder, badge?.text];
      return {
        value: tabId,
        name: titles[at] ?? state.title,
        description: facts.filter((fact) => fact !== undefined).join(" · "),
      };
    });
    return html`<symposium-picker
      class="tab-choice"
      .name=${"open-chats"}
      .label=${l10n.t("Open chats")}
      .icon=${"list-flat"}
      .value=${this.selected ?? ""}
      .choices=${choices}
      @symposium-pick=${({ detail }: CustomEvent<string>) => this.#select(detail)}
    ></symposium-picker>`;
  }

  #tab({ tabId, state }: TabEntry, title: string): unknown {
    const isSelected = tabId === this.selected;
    const badge = badgeOf(state, isSelected);
    const folder = state.folder === undefined ? "" : ` ${l10n.t("in {0}", state.folder)}`;
    return html`<div
      class="tab ${isSelected ? "selected" : ""}"
      role="tab"
      id="tab-${tabId}"
      tabindex=${isSelected ? 0 : -1}
      aria-selected=${isSelected}
      aria-controls=${isSelected && this.panelId !== "" ? this.panelId : nothing}
      aria-keyshortcuts="Delete F2"
      data-vscode-context=${JSON.stringify({ webviewSection: "tab", tabId, preventDefaultContextMenuItems: true })}
      title="${title}
${state.agentName}${folder}"
      @click=${() => this.#select(tabId)}
      @dblclick=${() => this.#beginRename(tabId)}
      @auxclick=${(event: MouseEvent) => {
        if (event.button === 1) this.#close(tabId);
      }}
      @keydown=${(event: KeyboardEvent) => this.#onKey(event, tabId)}
    >
      ${badge === undefined ? nothing : html`<span class="tab-badge ${badge.look}">${badge.image}</span>`}
      <span class="tab-label">${title}</span>
      ${badge === undefined ? nothing : html`<span class="control-hidden">, ${badge.text}</span>`}
      <span
        class="tab-close codicon codicon-close"
        aria-hidden="true"
        title=${l10n.t("Close (Delete)")}
        @click=${(event: MouseEvent) => {
          event.stopPropagation();
          this.#close(tabId);
        }}
        @dblclick=${(event: MouseEvent) => event.stopPropagation()}
      ></span>
    </div>`;
  }

  /** Returns the field for renaming a tab. The field is positioned over the tab, because a tab list can't contain an input. */
  #renameField({ tabId, state }: TabEntry): unknown {
    return html`<input
      class="control-input tab-rename"
      type="text"
      dir="auto"
      aria-label=${l10n.t("New title for the tab {0}", state.title)}
      .value=${this.#oldTitle}
      @keydown=${(event: KeyboardEvent) => this.#onRenameKey(event, tabId)}
      @blur=${() => this.#rename(tabId, false)}
    />`;
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (this.#closed !== undefined && !this.tabs.some(({ tabId }) => tabId === this.#closed)) {
      this.#closed = undefined;
      // Don't take the focus back if the user has left the page meanwhile.
      if (document.hasFocus()) this.querySelector<HTMLElement>(".tab.selected")?.focus();
    }
    for (const element of this.querySelectorAll(".tab-scroll, .tab")) this.#size.observe(element);
    if (changed.has("selected")) this.#showSelected();
    if (!changed.has("renaming") || this.renaming === undefined) return;
    const field = this.querySelector<HTMLInputElement>(".tab-rename");
    const tab = document.getElementById(`tab-${this.renaming}`);
    if (!field || !tab) return;
    field.style.left = `${tab.offsetLeft}px`;
    field.style.width = `${Math.max(tab.offsetWidth, 120)}px`;
    field.select();
    field.focus();
  }

  #showSelected(): void {
    this.querySelector(".tab.selected")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  #select(tabId: string): void {
    if (tabId !== this.selected) send(this, { type: "select-tab", tabId });
  }

  #close(tabId: string): void {
    send(this, { type: "close-tab", tabId });
  }

  #beginRename(tabId: string): void {
    this.#oldTitle = this.tabs.find((tab) => tab.tabId === tabId)?.state.title ?? "";
    this.renaming = tabId;
  }

  #rename(tabId: string, isFocusKept: boolean): void {
    if (this.renaming !== tabId) return;
    const title = this.querySelector<HTMLInputElement>(".tab-rename")?.value.trim() ?? "";
    if (title !== "" && title !== this.#oldTitle) send(this, { type: "rename-tab", tabId, title });
    this.#endRename(isFocusKept);
  }

  #endRename(isFocusKept: boolean): void {
    const tab = document.getElementById(`tab-${this.renaming ?? ""}`);
    this.renaming = undefined;
    if (isFocusKept) tab?.focus();
  }

  #onRenameKey(event: KeyboardEvent, tabId: string): void {
    if (event.isComposing) return;
    if (event.key === "Enter") this.#rename(tabId, true);
    else if (event.key === "Escape") this.#endRename(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #onKey(event: KeyboardEvent, tabId: string): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Delete") {
      this.#closed = tabId;
      this.#close(tabId);
    } else if (event.key === "F2") this.#beginRename(tabId);
    else if (event.key === "Enter" || event.key === " ") this.#select(tabId);
    else {
      const to = this.#neighbour(event.key, tabId);
      if (to === undefined) return;
      this.#select(to);
      document.getElementById(`tab-${to}`)?.focus();
    }
    event.preventDefault();
  }

  #neighbour(key: string, tabId: string): string | undefined {
    const at = this.tabs.findIndex((tab) => tab.tabId === tabId);
    const isRightToLeft = getComputedStyle(this).direction === "rtl";
    const count = this.tabs.length;
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: isRightToLeft ? at - 1 : at + 1,
      ArrowLeft: isRightToLeft ? at + 1 : at - 1,
      Home: 0,
      End: count - 1,
    };
    const to = steps[key];
    return to === undefined ? undefined : this.tabs[(to + count) % count]?.tabId;
  }
}

function scrollSideways(event: WheelEvent): void {
  if (event.deltaX === 0 && event.currentTarget instanceof HTMLElement) event.currentTarget.scrollLeft += event.deltaY;
}

interface Badge {
  readonly look: string;
  readonly image: unknown;
  readonly text: string;
}

function badgeOf(state: TabState, isSelected: boolean): Badge | undefined {
  if (state.waiting > 0) return { look: "waiting", image: state.waiting, text: l10n.t("waits for your answer") };
  if (state.phase === "failed") return { look: "failed", image: icon("error"), text: l10n.t("not running") };
  if (state.phase === "running" || state.phase === "stopping") {
    return { look: "running", image: icon("loading", true), text: l10n.t("working") };
  }
  if (state.isUnread && !isSelected)
    return { look: "unread", image: icon("circle-filled"), text: l10n.t("done, unread") };
  return undefined;
}

customElements.define("symposium-tab-bar", TabBar);
