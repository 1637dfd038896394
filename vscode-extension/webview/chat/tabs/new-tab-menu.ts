import * as l10n from "@vscode/l10n";
import { html, nothing, type PropertyValues } from "lit";
import type { AgentChoice, ToExtension } from "../../../protocol/index.js";
import { icon, LightElement, iconButton } from "../../controls/element.js";
import { keyedRows } from "../../controls/keyed-rows.js";
import { nextIndex } from "../../controls/listbox.js";
import { send } from "../send-message.js";

interface MenuLine {
  readonly label: string;
  readonly icon: string;
  readonly message: () => ToExtension;
}

class NewTabMenu extends LightElement {
  static override properties = { agents: { attribute: false }, selected: {}, agentId: {}, isOpen: { state: true } };
  declare agents: readonly AgentChoice[];
  declare selected: string | undefined;
  /** Agent of the selected tab. The menu lists this agent before the demo. */
  declare agentId: string | undefined;
  declare isOpen: boolean;

  constructor() {
    super();
    this.agents = [];
    this.isOpen = false;
  }

  override render(): unknown {
    const current = this.#current;
    const label = current === undefined ? l10n.t("New tab") : l10n.t("New tab with {0}", current.name);
    return html`<span
      class="tab-actions"
      @keydown=${(event: KeyboardEvent) => this.#onKey(event)}
      @focusout=${(event: FocusEvent) => this.#onFocusOut(event)}
    >
      ${iconButton("add", label, () => send(this, newTab(current?.id)))}
      <button
        type="button"
        class="control-icon new-tab-more"
        aria-label=${l10n.t("More: agents, history, settings")}
        title=${l10n.t("More")}
        aria-haspopup="menu"
        aria-expanded=${this.isOpen}
        @click=${() => (this.isOpen = !this.isOpen)}
      >
        ${icon("chevron-down")}
      </button>
      ${this.isOpen ? this.#menu() : nothing}
    </span>`;
  }

  get #current(): AgentChoice | undefined {
    const chosen = this.agents.find(({ isCurrent }) => isCurrent);
    const inUse = chosen?.place === "demo" ? this.agents.find(({ id }) => id === this.agentId) : undefined;
    return inUse ?? chosen;
  }

  #menu(): unknown {
    const agents = this.agents.map(({ id, name }): MenuLine => ({
      label: name,
      icon: id === this.#current?.id ? "check" : "blank",
      message: () => newTab(id),
    }));
    return html`<div class="popup below menu" role="menu" aria-label=${l10n.t("New tab and more")}>
      ${
        agents.length === 0
          ? nothing
          : html`<div class="menu-agents" role="group" aria-label=${l10n.t("New tab with")}>
                <div class="listbox-group" aria-hidden="true">${l10n.t("New tab with")}</div>
                ${keyedRows(
                  agents,
                  ({ label }) => label,
                  (line) => this.#line(line),
                )}
              </div>
              <div class="menu-line" role="separator"></div>`
      }
      ${this.#line(inWorktree)}
      ${this.selected === undefined ? nothing : ofTab(this.selected).map((line) => this.#line(line))}
      ${others.map((line) => this.#line(line))}
    </div>`;
  }

  #line(line: MenuLine): unknown {
    return html`<div class="listbox-option menu-item" role="menuitem" tabindex="-1" @click=${() => this.#choose(line)}>
      ${icon(line.icon)}<span class="listbox-label">${line.label}</span>
    </div>`;
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (changed.has("isOpen") && this.isOpen) this.#items()[0]?.focus();
  }

  #items(): HTMLElement[] {
    return [...this.querySelectorAll<HTMLElement>(".menu-item")];
  }

  #choose({ message }: MenuLine): void {
    this.#close();
    send(this, message());
  }

  #close(): void {
    this.isOpen = false;
    this.querySelector<HTMLElement>(".new-tab-more")?.focus();
  }

  #onKey(event: KeyboardEvent): void {
    if (!this.isOpen || event.isComposing) return;
    const items = this.#items();
    const at = items.findIndex((item) => item === document.activeElement);
    const to = nextIndex(event.key, at, items.length) ?? indexStartingWith(event, items, at);
    if (to !== undefined) items[to]?.focus();
    else if (event.key === "Escape") this.#close();
    else if ((event.key === "Enter" || event.key === " ") && at !== -1) items[at]?.click();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #onFocusOut(event: FocusEvent): void {
    const to = event.relatedTarget;
    if (!(to instanceof Node && this.contains(to))) this.isOpen = false;
  }
}

function indexStartingWith(event: KeyboardEvent, items: readonly HTMLElement[], at: number): number | undefined {
  const { key, ctrlKey, metaKey, altKey } = event;
  if (key.length !== 1 || key === " " || ctrlKey || metaKey || altKey) return undefined;
  const inOrder = items.map((_, step) => (at + 1 + step) % items.length);
  return inOrder.find((index) => items[index]?.textContent.trim().toLowerCase().startsWith(key.toLowerCase()));
}

const inWorktree: MenuLine = {
  label: l10n.t("New tab in a worktree…"),
  icon: "git-branch",
  message: () => ({ type: "new-worktree-tab" }),
};

function ofTab(tabId: string): readonly MenuLine[] {
  return [
    { label: l10n.t("Continue with…"), icon: "arrow-swap", message: () => ({ type: "continue-with", tabId }) },
    { label: l10n.t("Open in editor"), icon: "go-to-file", message: () => ({ type: "open-in-editor", tabId }) },
  ];
}

const others: readonly MenuLine[] = [
  { label: l10n.t("Conversations…"), icon: "history", message: () => ({ type: "show-history" }) },
  { label: l10n.t("Guard…"), icon: "law", message: () => ({ type: "show-guard" }) },
  { label: l10n.t("Permissions…"), icon: "shield", message: () => ({ type: "show-permissions" }) },
  { label: l10n.t("Agents, extensions, settings…"), icon: "settings-gear", message: () => ({ type: "open-settings" }) },
];

export function newTab(agentId: string | undefined): ToExtension {
  return { type: "new-tab", tabId: crypto.randomUUID(), ...(agentId === undefined ? {} : { agentId }) };
}

customElements.define("symposium-new-tab-menu", NewTabMenu);
