import * as l10n from "@vscode/l10n";
import { go } from "fuzzysort";
import * as z from "zod/mini";
import { html, nothing, type PropertyValues } from "lit";
import { live } from "lit/directives/live.js";
import { repeat } from "lit/directives/repeat.js";
import type { AgentEntry } from "../../protocol/settings.js";
import { icon, LightElement, iconButton, textButton } from "../controls/element.js";
import { KeptFocus } from "../controls/kept-focus.js";
import { ask, rowState, updateButton } from "./row-parts.js";

const rememberedSchema = z.object({ query: z.string(), opened: z.optional(z.string()) });

class AgentList extends LightElement {
  static override properties = {
    agents: { attribute: false },
    isLoading: { type: Boolean },
    query: { state: true },
    opened: { state: true },
  };
  declare agents: readonly AgentEntry[];
  declare isLoading: boolean;
  declare query: string;
  declare opened: string | undefined;
  /** Search text and opened agent from before the page was hidden. */
  remembered: unknown;
  /** True once the search from before the page was hidden is shown again. */
  #isSearched = false;

  constructor() {
    super();
    new KeptFocus(this, ".row");
    this.agents = [];
    this.isLoading = false;
    this.query = "";
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!this.hasUpdated) {
      const { query, opened } = rememberedSchema.safeParse(this.remembered).data ?? {};
      this.query = query ?? "";
      this.#isSearched = this.query !== "";
      this.opened = opened;
    } else if (changed.has("query") || changed.has("opened")) {
      const { query, opened } = this;
      this.dispatchEvent(new CustomEvent("symposium-remember", { detail: { query, opened }, bubbles: true }));
    }
  }

  override render(): unknown {
    const usable = this.agents.filter((agent) => isUsable(agent));
    const others = this.agents.filter((agent) => !isUsable(agent));
    return html`<fieldset class="rows">
        <legend class="control-note">${l10n.t("New tabs use this agent.")}</legend>
        ${repeat(
          usable,
          ({ id }) => id,
          (agent) => this.#usable(agent),
        )}
        ${usable.length === 0 && !this.isLoading ? html`<p>${l10n.t("No agents yet. Install one from the list below, or add your own.")}</p>` : nothing}
      </fieldset>
      ${others.length === 0 ? nothing : this.#registry(others)}`;
  }

  #usable(agent: AgentEntry): unknown {
    const { id, name, version } = agent;
    const isOpen = this.opened === id;
    return html`<div class="row">
      <div class="row-head">
        <input
          class="control-check"
          type="radio"
          name="current-agent"
          id="agent-${id}"
          .checked=${live(agent.isCurrent)}
          @change=${() => ask(this, { type: "set-current-agent", id })}
        />
        <label class="row-name" for="agent-${id}">${name}</label>
        ${version === undefined ? nothing : html`<span class="control-note">${version}</span>`}
        ${agent.isPinned ? html`<span class="control-note" title=${l10n.t("Stays at this version")}>${icon("pinned")} ${l10n.t("pinned")}</span>` : nothing}
        ${
          agent.bypassPermissions
            ? html`<span class="control-note row-warning">${icon("shield")} ${l10n.t("does not ask")}</span>`
            : nothing
        }
        <span class="row-actions">
          ${agent.isPinned ? nothing : updateButton(agent, () => ask(this, { type: "update", kind: "agent", id }))}
          ${iconButton(
            isOpen ? "chevron-up" : "chevron-down",
            l10n.t("Details of {0}", name),
            () => (this.opened = isOpen ? undefined : id),
            {
              title: l10n.t("Details"),
              isExpanded: isOpen,
            },
          )}
        </span>
      </div>
      ${rowState(agent, () => ask(this, { type: "cancel-install", kind: "agent", id }))}
      ${isOpen ? this.#details(agent) : nothing}
    </div>`;
  }

  #details(agent: AgentEntry): unknown {
    const { id, name, description, source, isInstalled, isPinned, previousVersion } = agent;
    return html`<div class="row-details">
      ${description === undefined ? nothing : html`<p>${description}</p>`}
      <p class="control-note">${sourceOf(agent)}</p>
      <div class="switch-row">
        <input
          class="control-check"
          type="checkbox"
          role="switch"
          id="bypass-${id}"
          aria-describedby="bypass-note-${id}"
          .checked=${live(agent.bypassPermissions)}
          @change=${(event: Event) =>
            ask(this, {
              type: "toggle-bypass-permissions",
              id,
              value: event.target instanceof HTMLInputElement && event.target.checked,
            })}
        />
        <div>
          <label for="bypass-${id}">${l10n.t("Bypass permissions")}</label>
          <div class="control-note" id="bypass-note-${id}">
            ${l10n.t("{0} runs commands and changes files without asking.", name)}
          </div>
        </div>
      </div>
      <div class="button-row">
        ${
          isInstalled
            ? this.#button(isPinned ? l10n.t("Unpin") : l10n.t("Pin this version"), () =>
                ask(this, { type: "pin", kind: "agent", id, isPinned: !isPinned }),
              )
            : nothing
        }
        ${
          previousVersion === undefined
            ? nothing
            : this.#button(l10n.t("Back to {0}", previousVersion), () =>
                ask(this, { type: "rollback", kind: "agent", id }),
              )
        }
        ${this.#button(l10n.t("Check"), () => ask(this, { type: "run-doctor", id }))}
        ${source === "built-in" && !isInstalled ? nothing : this.#button(l10n.t("Remove"), () => ask(this, { type: "remove", kind: "agent", id }))}
      </div>
    </div>`;
  }

  #button(label: string, run: () => void): unknown {
    return textButton(label, run, { look: "secondary" });
  }

  #registry(agents: readonly AgentEntry[]): unknown {
    const shown =
      this.query.trim() === ""
        ? agents
        : go(this.query, agents, {
            keys: ["name", "id", (agent: AgentEntry) => agent.description ?? ""],
            limit: 0,
            threshold: 0.3,
          }).map(({ obj }) => obj);
    return html`<details class="more registry" ?open=${this.#isSearched}>
      <summary>${l10n.t("More agents ({0})", agents.length)}</summary>
      <input
        class="control-input"
        type="search"
        aria-label=${l10n.t("Search agents")}
        placeholder=${l10n.t("Search")}
        .value=${this.query}
        @input=${(event: Event) => {
          if (event.target instanceof HTMLInputElement) this.query = event.target.value;
        }}
      />
      <ul class="rows">
        ${repeat(
          shown,
          ({ id }) => id,
          (agent) => this.#listed(agent),
        )}
      </ul>
      ${shown.length === 0 ? html`<p role="status">${l10n.t("No agent fits “{0}”.", this.query)}</p>` : nothing}
    </details>`;
  }

  #listed(agent: AgentEntry): unknown {
    const { id, name, version, description } = agent;
    return html`<li class="row">
      <div class="row-head">
        <span class="row-name">${name}</span>
        ${version === undefined ? nothing : html`<span class="control-note">${version}</span>`}
        <span class="row-actions">
          ${
            agent.progress === undefined
              ? iconButton("cloud-download", l10n.t("Install {0}", name), () =>
                  ask(this, { type: "install", kind: "agent", id }),
                )
              : nothing
          }
        </span>
      </div>
      ${description === undefined ? nothing : html`<div class="control-note">${description}</div>`}
      ${rowState(agent, () => ask(this, { type: "cancel-install", kind: "agent", id }))}
    </li>`;
  }
}

function sourceOf({ id, source }: AgentEntry): string {
  switch (source) {
    case "built-in":
      return id === "eliza" ? l10n.t("Comes with Symposium.") : l10n.t("From Symposium's own list.");
    case "registry":
      return l10n.t("From the registry.");
    case "custom":
      return l10n.t("From your settings.");
  }
}

function isUsable({ source, isInstalled, isCurrent, bypassPermissions }: AgentEntry): boolean {
  return source !== "registry" || isInstalled || isCurrent || bypassPermissions;
}

customElements.define("symposium-agent-list", AgentList);
