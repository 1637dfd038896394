import * as l10n from "@vscode/l10n";
import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import type { SettingsState } from "../../protocol/settings.js";
import { icon, LightElement, iconButton, textButton } from "../controls/element.js";
import { keyedRows } from "../controls/keyed-rows.js";
import { KeptFocus } from "../controls/kept-focus.js";
import "./agent-list.js";
import { ask, withCode } from "./row-parts.js";
import "./extension-list.js";

export class SettingsApp extends LightElement {
  static override properties = { state: { attribute: false } };
  declare state: SettingsState | undefined;
  remembered: unknown;

  constructor() {
    super();
    new KeptFocus(this, ".recommendation");
  }

  override render(): unknown {
    const { state } = this;
    if (state === undefined) return html`<main class="settings" aria-busy="true"></main>`;
    return html`<main class="settings">
      <h1 class="control-hidden">${l10n.t("Symposium settings")}</h1>
      ${state.isTrusted ? nothing : restricted} ${this.#problems(state)} ${this.#agents(state)}
      ${this.#extensions(state)} ${this.#switches(state)}
    </main>`;
  }

  #problems({ problems }: SettingsState): unknown {
    if (problems.length === 0) return nothing;
    return html`<section aria-labelledby="problems">
      <h2 id="problems">${l10n.t("Problems in your settings")}</h2>
      <ul class="rows">
        ${problems.map(
          ({ setting, message, hint }) =>
            html`<li class="row">
              <div class="control-error">${message}</div>
              ${hint === undefined ? nothing : html`<div>${hint}</div>`}
              ${textButton(l10n.t("Open {0}", setting), () => ask(this, { type: "open-settings", query: setting }), {
                look: "link",
              })}
            </li>`,
        )}
      </ul>
    </section>`;
  }

  #agents({ agents, isLoading, registryProblem }: SettingsState): unknown {
    return html`<section aria-labelledby="agents">
      <div class="section-head">
        <h2 id="agents">${l10n.t("Agents")}</h2>
        ${iconButton("refresh", l10n.t("Check for updates"), () => ask(this, { type: "check-for-updates" }))}
        ${iconButton("add", l10n.t("Add an agent"), () => ask(this, { type: "add-agent" }))}
      </div>
      <div class="control-note" role="status">
        ${isLoading ? html`${icon("loading", true)} ${l10n.t("Asking the registry…")}` : nothing}
      </div>
      <symposium-agent-list
        .agents=${agents}
        .isLoading=${isLoading}
        .remembered=${this.remembered}
      ></symposium-agent-list>
      ${
        registryProblem === undefined
          ? nothing
          : html`<details class="more">
              <summary class="control-note">${icon("warning")} ${l10n.t("The registry could not be asked")}</summary>
              <p class="control-note registry-problem">${registryProblem}</p>
            </details>`
      }
    </section>`;
  }

  #extensions({ extensions, recommendations }: SettingsState): unknown {
    return html`<section aria-labelledby="extensions">
      <div class="section-head">
        <h2 id="extensions">${l10n.t("Extensions")}</h2>
        ${iconButton("add", l10n.t("Add an extension"), () => ask(this, { type: "add-extension" }))}
      </div>
      <p class="control-note">
        ${l10n.t("Messages pass through them in this order on their way to the agent. Changes apply to new tabs.")}
      </p>
      <symposium-extension-list .extensions=${extensions}></symposium-extension-list>
      ${
        recommendations.length === 0
          ? nothing
          : html`<h3>${l10n.t("Recommended for this workspace")}</h3>
              <ul class="rows">
                ${keyedRows(
                  recommendations,
                  ({ id }) => id,
                  (recommendation) => this.#recommendation(recommendation),
                )}
              </ul>`
      }
    </section>`;
  }

  #recommendation({ id, name, description, reason, consent }: SettingsState["recommendations"][number]): unknown {
    return html`<li class="row recommendation">
      <div class="row-head">${icon("lightbulb")}<span class="row-name">${name}</span></div>
      ${description === undefined ? nothing : html`<div>${description}</div>`}
      <div class="control-note">${reason}</div>
      <div>${consent}</div>
      <div class="button-row">
        ${textButton(l10n.t("Add"), () => ask(this, { type: "accept-recommendation", id }), { label: l10n.t("Add {0}", name) })}
        ${textButton(l10n.t("Stop recommending"), () => ask(this, { type: "dismiss-recommendation", id }), {
          look: "secondary",
          label: l10n.t("Stop recommending {0}", name),
        })}
      </div>
    </li>`;
  }

  #switches({ switches }: SettingsState): unknown {
    return html`<section aria-labelledby="general">
      <h2 id="general">${l10n.t("General")}</h2>
      ${switches.map(
        ({ key, label, description, value }) =>
          html`<div class="switch-row">
            <input
              class="control-check"
              type="checkbox"
              role="switch"
              id="switch-${key}"
              aria-describedby="switch-note-${key}"
              .checked=${live(value)}
              @change=${(event: Event) =>
                ask(this, {
                  type: "set-switch",
                  key,
                  value: event.target instanceof HTMLInputElement && event.target.checked,
                })}
            />
            <div>
              <label for="switch-${key}">${label}</label>
              <div class="control-note" id="switch-note-${key}">${withCode(description)}</div>
            </div>
          </div>`,
      )}
      <div class="link-row">
        ${textButton(l10n.t("All settings"), () => ask(this, { type: "open-settings" }), { look: "link" })}
        ${textButton(l10n.t("Permission rules"), () => ask(this, { type: "show-permissions" }), { look: "link" })}
        ${textButton(l10n.t("Check setup"), () => ask(this, { type: "run-doctor" }), { look: "link" })}
      </div>
    </section>`;
  }
}

const restricted = html`<p class="banner" role="note">
  ${icon("workspace-untrusted")}<span
    >${l10n.t("This workspace is in Restricted Mode. Trust it to start agents and get recommendations.")}</span
  >
</p>`;

customElements.define("symposium-settings", SettingsApp);
