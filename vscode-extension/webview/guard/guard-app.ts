import * as l10n from "@vscode/l10n";
import { html, nothing } from "lit";
import {
  canTakeBack,
  type FromGuard,
  type GuardState,
  type GuardStatus,
  isByOrganisation,
  type RefusedHost,
  type ShownRule,
} from "../../protocol/guard.js";
import { ask, icon, LightElement, textButton } from "../controls/element.js";
import { keyedRows } from "../controls/keyed-rows.js";
import { KeptFocus } from "../controls/kept-focus.js";
import { agentRow } from "./agent-row.js";

const effectWords: Readonly<Record<ShownRule["effect"], string>> = {
  deny: l10n.t("Denied"),
  ask: l10n.t("Asked"),
  allow: l10n.t("Allowed"),
};
const effectIcons: Readonly<Record<string, string>> = { deny: "circle-slash", ask: "question", allow: "check" };

export class GuardApp extends LightElement {
  static override properties = { state: { attribute: false } };
  declare state: GuardState | undefined;

  constructor() {
    super();
    new KeptFocus(this, "li");
  }

  override render(): unknown {
    const { state } = this;
    if (state === undefined) return html`<main class="guard" aria-busy="true"></main>`;
    const { isLoading, problem, folder, status } = state;
    return html`<main class="guard" aria-busy=${isLoading}>
      <header>
        <h1>${l10n.t("Guard")}</h1>
        <p class="control-note">${l10n.t("What agents may do in {0}, in every editor.", folder)}</p>
        <p role="status">${status === undefined && isLoading ? l10n.t("Looking…") : nothing}</p>
        ${problem === undefined ? nothing : html`<p class="guard-problem" role="alert">${icon("error")} ${problem}</p>`}
        ${status?.problems.map((text) => html`<p class="guard-problem" role="alert">${icon("warning")} ${text}</p>`) ?? nothing}
        <div class="button-row">
          ${textButton(l10n.t("Open guard.jsonc"), () => this.#send({ type: "open-file" }), { icon: "go-to-file" })}
          ${textButton(l10n.t("Refresh"), () => !isLoading && this.#send({ type: "refresh" }), {
            look: "secondary",
            icon: "refresh",
            isBlocked: isLoading,
          })}
        </div>
      </header>
      ${status === undefined ? nothing : this.#sections(status, state)}
    </main>`;
  }

  #sections(status: GuardStatus, { names }: GuardState): unknown {
    const send = (message: FromGuard): void => this.#send(message);
    return [
      html`<section aria-labelledby="guard-agents">
        <h2 id="guard-agents">${l10n.t("Agents")}</h2>
        ${sandboxNote(status)}
        ${
          status.agents.length === 0
            ? html`<p class="control-note">${l10n.t("No agents. Choose or install one first.")}</p>`
            : html`<ul>
                ${keyedRows(
                  status.agents,
                  ({ agent }) => agent,
                  (agent) => agentRow(agent, names[agent.agent] ?? agent.agent, status.sandbox.isThere, send),
                )}
              </ul>`
        }
      </section>`,
      this.#refused(status.refused),
      this.#rules(status),
      this.#decisions(status),
    ];
  }

  #refused(refused: readonly RefusedHost[]): unknown {
    return html`<section aria-labelledby="guard-refused">
      <h2 id="guard-refused">${l10n.t("Refused hosts")}</h2>
      ${
        refused.length === 0
          ? html`<p class="control-note">${l10n.t("No hosts refused.")}</p>`
          : html`<ul>
              ${keyedRows(
                refused,
                ({ host }) => host,
                ({ host, agents, time, reason, canOpen }) =>
                  html`<li class="guard-line">
                    <span class="guard-text"
                      ><strong>${host}</strong>
                      <span class="control-note">${agents.join(", ")} · ${reason} · ${timeText(time)}</span></span
                    >
                    ${
                      canOpen
                        ? textButton(l10n.t("Open"), () => this.#send({ type: "open-host", host }), {
                            look: "secondary",
                            label: l10n.t("Open {0}", host),
                          })
                        : nothing
                    }
                  </li>`,
              )}
            </ul>`
      }
    </section>`;
  }

  #rules(status: GuardStatus): unknown {
    const { rules, budgets } = status;
    const limits = budgets.map(({ scope, figure, limit, place }) => ({
      key: `${place} ${figure}`,
      takeBack: undefined,
      note: undefined,
      text: html`<strong>${l10n.t("Budget")}</strong> ${limit} ${figure} (${scope})`,
      place,
      name: `${limit} ${figure}`,
    }));
    const lines = rules.map(({ effect, subject, patterns, reason, place, ...bounds }) => ({
      key: `${place} ${effect} ${subject} ${patterns.join(" ")}`,
      takeBack: canTakeBack({ effect, subject, patterns, place }, status) ? { place, subject, patterns } : undefined,
      note: isByOrganisation(place, status) ? l10n.t("Set by your organisation") : undefined,
      text: html`${icon(effectIcons[effect] ?? "shield")} <strong>${effectWords[effect]}</strong> ${subject}
        <code>${patterns.join(", ")}</code>${reason === undefined ? nothing : html` — ${reason}`}${boundNote(bounds)}`,
      place,
      name: `${effect} ${subject} ${patterns.join(", ")}`,
    }));
    const all = [...lines, ...limits];
    return html`<section aria-labelledby="guard-rules">
      <h2 id="guard-rules">${l10n.t("Rules")}</h2>
      ${
        all.length === 0
          ? html`<p class="control-note">
              ${status.agents.some((agent) => "level" in agent && agent.level === "sandbox") ? l10n.t("No rules. Agents decide when to ask; in a sandbox, they don't ask about what it restricts.") : l10n.t("No rules. Agents decide when to ask.")}
            </p>`
          : html`<ul>
              ${keyedRows(
                all,
                ({ key }) => key,
                ({ text, note, place, name, takeBack }) =>
                  html`<li class="guard-line">
                    <span class="guard-text"
                      >${text}${note === undefined ? nothing : html` <span class="control-note">${note}</span>`}</span
                    >
                    ${
                      takeBack === undefined
                        ? nothing
                        : textButton(l10n.t("Remove"), () => this.#send({ type: "take-back", ...takeBack }), {
                            look: "secondary",
                            label: l10n.t("Remove: {0}", name),
                          })
                    }
                    ${textButton(shortPlace(place), () => this.#send({ type: "open-place", place }), {
                      look: "link",
                      label: `${shortPlace(place)}: ${name}`,
                    })}
                  </li>`,
              )}
            </ul>`
      }
    </section>`;
  }

  #decisions({ decisions }: GuardStatus): unknown {
    return html`<section aria-labelledby="guard-decisions">
      <h2 id="guard-decisions">${l10n.t("Recent decisions")}</h2>
      ${
        decisions.length === 0
          ? html`<p class="control-note">${l10n.t("No decisions yet.")}</p>`
          : html`<div class="guard-table" role="group" aria-label=${l10n.t("All decisions")} tabindex="0">
              <table>
                <thead>
                  <tr>
                    ${[l10n.t("Time"), l10n.t("Agent"), l10n.t("What"), l10n.t("Answer"), l10n.t("By")].map((name) => html`<th scope="col">${name}</th>`)}
                  </tr>
                </thead>
                <tbody>
                  ${decisions.map(
                    ({ time, agent, subject, answer, rule = l10n.t("cannot be read") }) =>
                      html`<tr>
                        <td>${timeText(time)}</td>
                        <td>${agent}</td>
                        <td>${subject}</td>
                        <td>${answer}</td>
                        <td>${shortPlace(rule)}</td>
                      </tr>`,
                  )}
                </tbody>
              </table>
            </div>`
      }
    </section>`;
  }

  #send(detail: FromGuard): void {
    ask(this, detail);
  }
}

function sandboxNote({ sandbox }: GuardStatus): unknown {
  if (!sandbox.isThere) {
    return html`<p class="control-note">
      ${l10n.t("There is no sandbox here: {0}. {1}", sandbox.reason ?? "", sandbox.remedy ?? "")}
    </p>`;
  }
  if (sandbox.isRoot !== true) return nothing;
  return html`<p class="control-note">
    ${l10n.t("You are root: a sandbox restricts root less than an ordinary user.")}
  </p>`;
}

function shortPlace(place: string): string {
  return /[^/\\]+[/\\][^/\\]+:\d+$/.exec(place)?.[0] ?? place;
}

function timeText(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : date.toLocaleString();
}

function boundNote({ agent, kind, exact, cwd, in: folder }: Partial<ShownRule>): unknown {
  const parts = [
    ...(exact === true ? [l10n.t("exactly this")] : []),
    ...(cwd === undefined ? [] : [l10n.t("run in {0}", cwd)]),
    ...(kind === undefined ? [] : [l10n.t("calls of kind “{0}”", kind)]),
    ...(agent === undefined ? [] : [l10n.t("by {0}", agent)]),
    ...(folder === undefined ? [] : [l10n.t("in {0}", folder)]),
  ];
  return parts.length === 0 ? nothing : html` <span class="control-note">${parts.join(" · ")}</span>`;
}

customElements.define("symposium-guard", GuardApp);
