import * as l10n from "@vscode/l10n";
import { html, nothing, svg, type SVGTemplateResult, type TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { AgentChoice } from "../../../protocol/index.js";
import { icon, LightElement, textButton } from "../../controls/element.js";
import { KeptFocus } from "../../controls/kept-focus.js";
import { send } from "../send-message.js";
import { newTab } from "./new-tab-menu.js";

/** Maximum number of installable agents shown at first, since the registry lists dozens. */
const shownInstallable = 4;

/** Start page without a tab: offers agents, those on this machine first, and links to more. */
class NoTab extends LightElement {
  static override properties = {
    agents: { attribute: false },
    isListing: { type: Boolean },
    listProblem: {},
    isTrusted: { type: Boolean },
    isWhole: { state: true },
  };
  declare agents: readonly AgentChoice[];
  /** True until the agents on this machine are listed. */
  declare isListing: boolean;
  declare listProblem: string | undefined;
  declare isTrusted: boolean;
  declare isWhole: boolean;

  constructor() {
    super();
    new KeptFocus(this, "li");
    this.agents = [];
    this.isListing = false;
    this.isTrusted = true;
    this.isWhole = false;
  }

  override render(): unknown {
    return html`<section class="no-tab" aria-labelledby="no-tab-title">
      <span class="no-tab-icon codicon codicon-comment-discussion-sparkle" aria-hidden="true"></span>
      <h2 id="no-tab-title">${l10n.t("Symposium")}</h2>
      ${this.isTrusted ? this.#choices() : restricted(this)}
      <p class="no-tab-links">
        ${textButton(l10n.t("First steps"), () => send(this, { type: "open-walkthrough" }), { look: "link" })}
        ${textButton(l10n.t("Conversations"), () => send(this, { type: "show-history" }), { look: "link" })}
        ${textButton(l10n.t("Settings"), () => send(this, { type: "open-settings" }), { look: "link" })}
      </p>
    </section>`;
  }

  #choices(): unknown {
    const at = (place: AgentChoice["place"]): AgentChoice[] => this.agents.filter((agent) => agent.place === place);
    const here = at("here").sort((a, b) => Number(b.isCurrent) - Number(a.isCurrent));
    const installable = at("install");
    return html`<p>${l10n.t("Choose an agent.")}</p>
      <div class="no-tab-agents">
        ${this.#here(here)} ${this.#group("elsewhere", l10n.t("From its publisher"), at("elsewhere"))}
        ${this.#installable(installable)} ${this.#group("demo", l10n.t("Try without a model"), at("demo"))}
      </div>
      ${textButton(l10n.t("Add an agent"), () => send(this, { type: "open-settings" }), { look: "secondary", icon: "add" })}`;
  }

  #here(agents: readonly AgentChoice[]): unknown {
    const found = this.#group("here", l10n.t("On this machine"), agents);
    const said = this.#found(agents.length);
    if (said === undefined) return found;
    return html`${found}
      <p class="control-note no-tab-note" role="status">${said}</p>`;
  }

  #found(count: number): unknown {
    if (this.isListing)
      return count > 0 ? undefined : html`${icon("loading", true)} ${l10n.t("Looking for agents on this machine…")}`;
    if (this.listProblem !== undefined)
      return l10n.t("Couldn't search for agents on this machine: {0}", this.listProblem);
    return count > 0 ? undefined : l10n.t("No agents found on this machine.");
  }

  #installable(agents: readonly AgentChoice[]): unknown {
    const isCut = !this.isWhole && agents.length > shownInstallable + 1;
    const rest = html`<li>
      ${textButton(l10n.t("All {0} that can be installed", agents.length), () => (this.isWhole = true), { look: "link" })}
    </li>`;
    return this.#group(
      "install",
      l10n.t("Available to install"),
      isCut ? agents.slice(0, shownInstallable) : agents,
      isCut ? rest : nothing,
    );
  }

  #group(place: string, title: string, agents: readonly AgentChoice[], rest: unknown = nothing): unknown {
    if (agents.length === 0) return nothing;
    return html`<h3 id="no-tab-${place}">${title}</h3>
      <ul aria-labelledby="no-tab-${place}">
        ${repeat(
          agents,
          ({ id }) => id,
          (agent, at) => this.#agent(agent, agent.isCurrent || (place === "here" && at === 0)),
        )}${rest}
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
  return html`<p>${l10n.t("This workspace is in Restricted Mode. Trust it to start an agent.")}</p>
    ${textButton(l10n.t("Manage workspace trust"), () => send(element, { type: "manage-trust" }), {
      icon: "workspace-untrusted",
    })}`;
}

/**
 * Icons for agents known without a registry, in a 16 by 16 view box and the text color. These are our own drawings, not the makers' logos.
 */
const signs: Readonly<Record<string, SVGTemplateResult>> = {
  "claude-code": svg`<path d="M11.8 4.6a5 5 0 1 0 0 6.8"/><path d="M6.8 8h5.4M9.5 6v4"/>`,
  "gemini-cli": svg`<circle cx="6" cy="8" r="3.8"/><circle cx="10" cy="8" r="3.8"/>`,
  codex: svg`<path d="M8 4.4C6.6 3.3 4.6 3 2.5 3.2v9c2.1-.2 4.1.1 5.5 1.2 1.4-1.1 3.4-1.4 5.5-1.2v-9C11.4 3 9.4 3.3 8 4.4zM8 4.4v9"/>`,
  "kiro-cli": svg`<path d="M4.5 3v10M11.5 3 5 8l6.5 5"/>`,
  opencode: svg`<path d="M6 3H3v10h3M10 3h3v10h-3"/><path d="M8 6.5v3"/>`,
  "qwen-code": svg`<circle cx="7.7" cy="7.7" r="4.7"/><path d="m9.5 9.5 4 4"/>`,
  "github-copilot": svg`<path d="m3 8.5 5-5 5 5M3 12.5l5-5 5 5"/>`,
  goose: svg`<path d="M2 5.5c2.5-.5 4.5.5 6 3 1.5-2.5 3.5-3.5 6-3M8 8.5V12"/>`,
  auggie: svg`<path d="m3 13 5-10 5 10M5 9.5h6"/>`,
  "cursor-agent": svg`<path d="M5.5 2.8h5M5.5 13.2h5M8 2.8v10.4"/>`,
  eliza: svg`<path d="M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2z"/><path d="M5.5 7h.01M8 7h.01M10.5 7h.01"/>`,
};

/**
 * Returns an agent's icon: `picture` (a data: URI of a black image), our own sign, or the first letter of its name. The icon is decorative,
 * since the name is next to it.
 */
function agentIcon({ id, name, picture }: AgentLook): TemplateResult {
  if (picture !== undefined) return html`<img class="agent-icon agent-picture" src=${picture} alt="" />`;
  const sign = Object.hasOwn(signs, id) ? signs[id] : undefined;
  if (sign) {
    return html`<svg class="agent-icon" viewBox="0 0 16 16" aria-hidden="true">${sign}</svg>`;
  }
  const [letter = "?"] = /[\p{L}\p{N}]/u.exec(name) ?? [];
  return html`<span class="agent-icon agent-letter" aria-hidden="true">${letter.toUpperCase()}</span>`;
}

interface AgentLook {
  readonly id: string;
  readonly name: string;
  readonly picture?: string | undefined;
}

customElements.define("symposium-no-tab", NoTab);
