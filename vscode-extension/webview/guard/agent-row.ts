import * as l10n from "@vscode/l10n";
import { html, nothing } from "lit";
import { live } from "lit/directives/live.js";
import type { FromGuard, GuardStatus, HeldAgent } from "../../protocol/guard.js";
import { icon, textButton } from "../controls/element.js";

const icons = { sandbox: "shield", rules: "law", off: "circle-slash" } as const;
const words = {
  rules: l10n.t("Your rules"),
  sandbox: l10n.t("Your rules and a sandbox"),
  off: l10n.t("Nothing"),
} as const;

export function agentRow(
  agent: GuardStatus["agents"][number],
  name: string,
  hasSandbox: boolean,
  send: (message: FromGuard) => void,
): unknown {
  if ("problem" in agent) {
    return html`<li class="guard-agent">
      ${icon("warning")}
      <div class="guard-body">
        <h3>${name}</h3>
        <p>${agent.problem}</p>
      </div>
    </li>`;
  }
  const { level, summary, parts, place } = agent;
  return html`<li class="guard-agent ${level}">
    ${icon(agent.isBuiltIn ? "circle-outline" : icons[level])}
    <div class="guard-body">
      <h3>${name}</h3>
      <p>${summary}</p>
      ${
        parts.length === 0
          ? nothing
          : html`<dl>
              ${parts.map(
                ({ title, text }) =>
                  html`<div>
                    <dt>${title}</dt>
                    <dd>${text}</dd>
                  </div>`,
              )}
            </dl>`
      }
      ${agent.isBuiltIn ? nothing : levelSwitch(agent, name, hasSandbox, send)}
      ${
        place === undefined
          ? nothing
          : textButton(l10n.t("Use guard.jsonc"), () => send({ type: "open-place", place }), {
              look: "link",
              label: l10n.t("Use guard.jsonc: {0}", name),
            })
      }
    </div>
  </li>`;
}

function levelSwitch(
  { agent, level, place, isKnown, lowest }: HeldAgent,
  name: string,
  hasSandbox: boolean,
  send: (message: FromGuard) => void,
): unknown {
  const chosen = place === undefined ? "default" : level;
  const options = [
    { value: "default", label: place === undefined ? l10n.t("{0} (default)", words[level]) : l10n.t("Default") },
    { value: "rules", label: words.rules },
    { value: "sandbox", label: isKnown ? words.sandbox : l10n.t("{0} (untested with this agent)", words.sandbox) },
    { value: "off", label: words.off },
  ] as const;
  const isTooWeak = (value: string): boolean =>
    (value === "off" && lowest !== undefined) || (value === "rules" && lowest?.level === "sandbox");
  return html`<label class="guard-level">
    <span>${l10n.t("Protection")}</span>
    <select
      class="control-select"
      aria-label=${l10n.t("Protection of {0}", name)}
      .value=${live(chosen)}
      @change=${({ target }: Event) => {
        const value = target instanceof HTMLSelectElement ? target.value : "";
        const option = options.find((one) => one.value === value);
        if (option) send({ type: "set-level", agent, level: option.value });
      }}
    >
      ${options.map(
        ({ value, label }) =>
          html`<option
            value=${value}
            ?selected=${value === chosen}
            ?disabled=${(value === "sandbox" && !hasSandbox) || isTooWeak(value)}
          >
            ${label}
          </option>`,
      )}
    </select>
    <span class="control-note">${l10n.t("Applies when the agent restarts.")}</span>
  </label>`;
}
