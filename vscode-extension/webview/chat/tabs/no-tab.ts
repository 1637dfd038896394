import { html, nothing } from "lit";
import type { AgentChoice } from "../../../protocol/index.js";
import { agentIcon, icon, LightElement } from "../../controls/element.js";
import { send } from "../send.js";
import { newTab } from "./new-tab-menu.js";

/** So many agents that have to be installed are shown at first; the registry knows dozens. */
const shownInstallable = 4;

/** What stands where no tab is: the agents to start with, those of this machine first, and where more come from. */
class NoTab extends LightElement {
  static override properties = {
    agents: { attribute: false },
    isListing: { type: Boolean },
    isTrusted: { type: Boolean },
    isWhole: { state: true },
  };
  /** In the order in which they are shown. */
  declare agents: readonly AgentChoice[];
  /** What there is on this machine is not known yet. */
  declare isListing: boolean;
  declare isTrusted: boolean;
  /** Every agent is shown. */
  declare isWhole: boolean;

  constructor() {
    super();
    this.agents = [];
    this.isListing = false;
    this.isTrusted = true;
    this.isWhole = false;
  }

  override render(): unknown {
    return html`<section class="no-tab" aria-labelledby="no-tab-title">
      <span class="no-tab-icon codicon codicon-comment-discussion-sparkle" aria-hidden="true"></span>
      <h2 id="no-tab-title">Symposium</h2>
      ${this.isTrusted ? this.#choices() : restricted(this)}
      <p class="no-tab-links">
        <button type="button" class="control-button link" @click=${() => send(this, { type: "open-walkthrough" })}>
          First steps
        </button>
        <button type="button" class="control-button link" @click=${() => send(this, { type: "show-history" })}>
          Conversations
        </button>
        <button type="button" class="control-button link" @click=${() => send(this, { type: "open-settings" })}>
          Settings
        </button>
      </p>
    </section>`;
  }

  #choices(): unknown {
    const at = (place: AgentChoice["place"]): AgentChoice[] => this.agents.filter((agent) => agent.place === place);
    const here = at("here").sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent));
    const installable = at("install");
    return html`<p>Choose the agent to work with.</p>
      <div class="no-tab-agents">
        ${this.#here(here)} ${this.#installable(installable)} ${this.#group("demo", "Without a model", at("demo"))}
      </div>
      <button type="button" class="control-button secondary" @click=${() => send(this, { type: "open-settings" })}>
        ${icon("add")}<span>Add an agent</span>
      </button>`;
  }

  #here(agents: readonly AgentChoice[]): unknown {
    if (agents.length > 0) return this.#group("here", "On this machine", agents);
    return html`<p class="control-note no-tab-note" role="status">
      ${
        this.isListing
          ? html`${icon("loading", true)} Looking for agents on this machine…`
          : "No agent was found on this machine."
      }
    </p>`;
  }

  #installable(agents: readonly AgentChoice[]): unknown {
    const isCut = !this.isWhole && agents.length > shownInstallable + 1;
    const rest = html`<li>
      <button type="button" class="control-button link" @click=${() => (this.isWhole = true)}>
        All ${agents.length} that can be installed
      </button>
    </li>`;
    return this.#group(
      "install",
      "One click away",
      isCut ? agents.slice(0, shownInstallable) : agents,
      isCut ? rest : nothing,
    );
  }

  #group(place: string, title: string, agents: readonly AgentChoice[], rest: unknown = nothing): unknown {
    if (agents.length === 0) return nothing;
    return html`<h3 id="no-tab-${place}">${title}</h3>
      <ul aria-labelledby="no-tab-${place}">
        ${agents.map((agent, at) => this.#agent(agent, agent.isCurrent || (place === "here" && at === 0)))}${rest}
      </ul>`;
  }

  #agent(agent: AgentChoice, isFirst: boolean): unknown {
    const { id, name, description, detail, place } = agent;
    return html`<li>
      <button
        type="button"
        class="no-tab-agent ${isFirst && place === "here" ? "current" : ""}"
        @click=${() => send(this, newTab(id))}
      >
        ${agentIcon(agent)}
        <span class="no-tab-agent-text">
          <span class="no-tab-agent-head">
            <span class="no-tab-agent-name">${name}</span>
            ${
              detail === undefined
                ? nothing
                : html`<span class="control-note"
                    >${place === "install" ? icon("cloud-download") : nothing} ${detail}</span
                  >`
            }
          </span>
          ${description === undefined ? nothing : html`<span class="control-note no-tab-agent-note">${description}</span>`}
        </span>
      </button>
    </li>`;
  }
}

function restricted(element: HTMLElement): unknown {
  return html`<p>This workspace is in restricted mode. No agent is started until you trust it.</p>
    <button type="button" class="control-button" @click=${() => send(element, { type: "manage-trust" })}>
      ${icon("workspace-untrusted")}<span>Manage workspace trust</span>
    </button>`;
}

customElements.define("symposium-no-tab", NoTab);

declare global {
  interface HTMLElementTagNameMap {
    "symposium-no-tab": NoTab;
  }
}
