import { html, nothing } from "lit";
import type { AgentChoice } from "../../../protocol/index.js";
import { icon } from "../../controls/icon.js";
import { LightElement } from "../light-element.js";
import { send } from "../send.js";
import { newTab } from "./new-tab-menu.js";

/** So many agents are shown at first; the registry knows dozens. */
const shownAgents = 7;

/** What stands where no tab is: the agents to start with, and where more come from. */
export class NoTab extends LightElement {
  static override properties = {
    agents: { attribute: false },
    isTrusted: { type: Boolean },
    isWhole: { state: true },
  };
  declare agents: readonly AgentChoice[];
  declare isTrusted: boolean;
  /** Every agent is shown. */
  declare isWhole: boolean;

  constructor() {
    super();
    this.agents = [];
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
          Past sessions
        </button>
        <button type="button" class="control-button link" @click=${() => send(this, { type: "open-settings" })}>
          Settings
        </button>
      </p>
    </section>`;
  }

  #choices(): unknown {
    const hasAgents = this.agents.length > 0;
    const agents = [...this.agents].sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent));
    const isCut = !this.isWhole && agents.length > shownAgents + 1;
    return html`<p>${hasAgents ? "Choose the agent to work with." : "No agent is set up yet."}</p>
      ${
        hasAgents
          ? html`<ul class="no-tab-agents" aria-label="Agents">
              ${(isCut ? agents.slice(0, shownAgents) : agents).map((agent) => this.#agent(agent))}
              ${isCut ? this.#whole(agents.length) : nothing}
            </ul>`
          : nothing
      }
      <button
        type="button"
        class="control-button ${hasAgents ? "secondary" : ""}"
        @click=${() => send(this, { type: "open-settings" })}
      >
        ${icon("add")}<span>Add an agent</span>
      </button>`;
  }

  #whole(count: number): unknown {
    return html`<li>
      <button type="button" class="control-button link" @click=${() => (this.isWhole = true)}>
        All ${count} agents
      </button>
    </li>`;
  }

  #agent({ id, name, description, isCurrent }: AgentChoice): unknown {
    return html`<li>
      <button type="button" class="no-tab-agent ${isCurrent ? "current" : ""}" @click=${() => send(this, newTab(id))}>
        ${icon("agent")}
        <span class="no-tab-agent-text">
          <span>${name}</span>
          ${description === undefined ? nothing : html`<span class="control-note">${description}</span>`}
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
